// Package connect connects a command to the service that its settings choose: a server, or
// one embedded in this process on a data folder. It also finds objects by reference and
// waits for jobs.
package connect

import (
	"context"
	"errors"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/client"
	"foretell/internal/term"
)

// Session is a client that is signed in to a service: over the network, or embedded in
// this process.
type Session struct {
	*client.Client
	// Embedded is set if the service runs in this process.
	Embedded bool
	// App is the embedded service; nil otherwise.
	App embeddedApp
	// DataDir is the data folder of the embedded service.
	DataDir string
	// Account is the name of the signed-in account.
	Account string
	// Progress shows waits; nil for a command that waits for nothing.
	Progress *term.Progress
	// RunCommand returns the command that continues the whole run with a race; "" starts
	// it again. It is nil if the command is only about the race.
	RunCommand func(race string) string
	closers    []func() error
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
func (c *Session) Close() {
	for i := len(c.closers) - 1; i >= 0; i-- {
		_ = c.closers[i]() // the command's result does not depend on it
	}
}

// resumeCommand returns the command that continues a race, or for "" starts it again:
// that of the whole run if there is one, else command.
func (c *Session) resumeCommand(command, race string) string {
	if c.RunCommand == nil {
		return command
	}
	return c.RunCommand(race)
}

// adoptJob makes this process do the work that a command waits for, if the service is
// embedded and no other process does it.
func (c *Session) adoptJob(ctx context.Context, key string) error {
	if !c.Embedded {
		return nil
	}
	return c.App.Adopt(ctx, key)
}

// RunsElsewhere reports whether another process does the work of the embedded service.
func (c *Session) RunsElsewhere(ctx context.Context, key string) (bool, error) {
	if !c.Embedded {
		return false, nil
	}
	return c.App.RunsElsewhere(ctx, key)
}

// ModelReport returns a model's report; nil if the service has no reports, which are an
// extension.
func (c *Session) ModelReport(ctx context.Context, model string) (*api.ModelReport, error) {
	report, err := client.Call(ctx, c.Client, api.GetModelReport, &api.ModelInput{ModelKey: model})
	var problem *api.Problem
	if errors.As(err, &problem) && (problem.Status == 404 || problem.Status == 405 || problem.Status == 501) {
		return nil, nil
	}
	return report, err
}

// HasExtensions reports whether the service has foretell's extensions. They come
// together, and prepared datasets then have classes.
func (c *Session) HasExtensions(dataset *api.Dataset) bool {
	return c.Embedded || len(dataset.Classes) > 0
}
