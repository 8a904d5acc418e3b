package cmd

import (
	"context"

	"foretell/internal/app"
	"foretell/internal/client"
	"foretell/internal/term"
)

// session is a client that is signed in to a service: over the network, or embedded in
// this process.
type session struct {
	*client.Client
	// embedded is set if the service runs in this process.
	embedded bool
	// app is the embedded service; nil otherwise.
	app embeddedApp
	// dataDir is the data folder of the embedded service.
	dataDir string
	// account is the name of the signed-in account.
	account string
	// progress shows waits; nil for a command that waits for nothing.
	progress *term.Progress
	// continueRun returns the command that continues the whole run with a race; "" starts
	// it again. It is nil if the command is only about the race.
	continueRun func(race string) string
	closers     []func() error
}

// embeddedApp is the part of the embedded service that commands use directly.
type embeddedApp interface {
	// Adopt makes this process do the work on an object unless another process does it.
	Adopt(ctx context.Context, key string) error
	// RunsElsewhere reports whether another process works on an object.
	RunsElsewhere(ctx context.Context, key string) (bool, error)
	// Usage measures the stored files.
	Usage(ctx context.Context) (*app.Usage, error)
}

// Close stops the embedded service. Running jobs are released within a second; they
// restart when a command waits for them.
func (c *session) Close() {
	for i := len(c.closers) - 1; i >= 0; i-- {
		_ = c.closers[i]() // the command's result does not depend on it
	}
}

// continueCommand returns the command that continues a race, or for "" starts it again:
// that of the whole run if there is one, else command.
func (c *session) continueCommand(command, race string) string {
	if c.continueRun == nil {
		return command
	}
	return c.continueRun(race)
}

// runLocally makes this process do the work that a command waits for, if the service is
// embedded and no other process does it.
func (c *session) runLocally(ctx context.Context, key string) error {
	if !c.embedded {
		return nil
	}
	return c.app.Adopt(ctx, key)
}

// runsElsewhere reports whether another process does the work of the embedded service.
func (c *session) runsElsewhere(ctx context.Context, key string) (bool, error) {
	if !c.embedded {
		return false, nil
	}
	return c.app.RunsElsewhere(ctx, key)
}
