// Package connect connects a command to the service that the settings select: a server, or
// a service embedded in this process. It also resolves references and waits for jobs.
package connect

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/storedfile"
	"foretell/internal/term"
)

// Session is a client that is logged in to a service. The service is a server, or embedded
// in this process.
type Session struct {
	*client.Client
	// Embedded is set if the service runs in this process.
	Embedded bool
	// App is the embedded service; nil otherwise.
	App embeddedApp
	// service is the embedded service; nil otherwise.
	service *LocalService
	// DataDir is the data folder of the embedded service.
	DataDir string
	// Account is the name of the logged-in account.
	Account string
	// Progress shows the progress of waits. It is nil if the command does not wait.
	Progress *term.Progress
	// RunCommand returns a command line of `foretell run`. The command resumes the race with the
	// given key or, if race is "", starts the run again. RunCommand is nil unless the current
	// command is `foretell run`.
	RunCommand func(race string) string
	// PredictCommand returns the command that predicts the blind file of a run. model is the reference
	// to the model, quoted for a shell. PredictCommand is set only in `foretell run` with a blind
	// file, if a file of the run is a stream, such as standard input. RunCommand cannot repeat such a
	// run.
	PredictCommand func(model string) string
	factory        *cli.Factory
	enterKeys      <-chan struct{} // a value for each line typed on the terminal; nil before the first race
	// stoppedRace is the key of the race that the user ended from the terminal, or "".
	stoppedRace string
	closers     []func() error
}

// embeddedApp is the part of the embedded service that commands use directly.
type embeddedApp interface {
	// AdoptInterruptedJob lets this process run the jobs of the object with the given key, unless another
	// process runs them.
	AdoptInterruptedJob(ctx context.Context, key string) error
	// RunsElsewhere reports whether another process runs the jobs of the object with the given
	// key.
	RunsElsewhere(ctx context.Context, key string) (bool, error)
	// Usage returns the number and the size of all stored files. Orphans returns the number and the
	// size of those to which the database does not refer.
	Usage(ctx context.Context) (*storedfile.Usage, error)
	Orphans(ctx context.Context) (blob.Orphans, error)
}

// Close stops the embedded service. Running jobs end within a second, and run again when
// another command waits for them.
func (c *Session) Close() {
	for i := len(c.closers) - 1; i >= 0; i-- {
		_ = c.closers[i]() // the result of the command does not depend on the error
	}
}

// resumeCommand returns the command line that continues after an interruption: RunCommand(race) if
// the current command is `foretell run`, and otherwise its argument command.
func (c *Session) resumeCommand(command, race string) string {
	if c.RunCommand == nil {
		return command
	}
	return c.RunCommand(race)
}

// adoptInterruptedJob lets this process run the jobs of the object with the given key, if the service is
// embedded and no other process runs them.
func (c *Session) adoptInterruptedJob(ctx context.Context, key string) error {
	if !c.Embedded {
		return nil
	}
	return c.App.AdoptInterruptedJob(ctx, key)
}

// RunsElsewhere reports whether the service is embedded and another process runs the jobs of
// the object with the given key.
func (c *Session) RunsElsewhere(ctx context.Context, key string) (elsewhere bool, err error) {
	if !c.Embedded {
		return false, nil
	}
	return c.App.RunsElsewhere(ctx, key)
}

// HasExtensions reports whether the service has foretell's extensions to the API. An embedded
// service has them, and so does a service that reports the classes of dataset. The dataset must be
// prepared.
func (c *Session) HasExtensions(dataset *api.Dataset) bool {
	return c.Embedded || len(dataset.Classes) > 0
}
