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
	// App is the service in this process; nil if the service is a server.
	App embeddedApp
	// service is the service in this process; nil if the service is a server.
	service *LocalService
	// DataDir is the data folder if the service runs in this process.
	DataDir string
	// Account is the name of the logged-in account.
	Account string
	// Progress shows the progress of waits. It is nil if the command does not wait.
	Progress *term.Progress
	// RunCommand returns a command line of `foretell run` that resumes the race with the given key
	// or, if race is "", starts the run again. It is nil unless the current command is `foretell
	// run`.
	RunCommand func(race string) string
	// PredictCommand returns the command that predicts the file of --blind with a model. model is
	// the name or key of the model, quoted for a shell. PredictCommand is nil unless the current
	// command is `foretell run` and reads a stream, such as standard input. RunCommand cannot
	// repeat such a run.
	PredictCommand func(model string) string
	factory        *cli.Factory
	enterKeys      <-chan struct{} // a value for each line typed on the terminal; nil before the first race
	// stoppedRace is the key of the race that the user ended from the terminal, or "".
	stoppedRace string
	closers     []func() error
}

// embeddedApp has the methods of a service in this process that commands call directly.
type embeddedApp interface {
	// AdoptInterruptedJob lets this process run the job of the object with the given key, at once or when
	// no other process runs it.
	AdoptInterruptedJob(ctx context.Context, key string) error
	// RunsElsewhere reports whether another process runs the jobs of the object with the given
	// key.
	RunsElsewhere(ctx context.Context, key string) (bool, error)
	// Usage returns the number and the total size of all stored files. Orphans returns the same for
	// the files that the database does not reference.
	Usage(ctx context.Context) (*storedfile.Usage, error)
	Orphans(ctx context.Context) (blob.Orphans, error)
}

// Close ends the session. If the service is in this process, it also stops the service. Running
// jobs end within a second, and run again when another command waits for them.
func (c *Session) Close() {
	for i := len(c.closers) - 1; i >= 0; i-- {
		_ = c.closers[i]() // the result of the command does not depend on the error
	}
}

// resumeCommand returns the command line with which the user can continue after an interruption. In
// `foretell run` this is RunCommand(race). In all other commands it is the argument command.
func (c *Session) resumeCommand(command, race string) string {
	if c.RunCommand == nil {
		return command
	}
	return c.RunCommand(race)
}

// adoptInterruptedJob lets this process run the job of the object with the given key, at once or when no
// other process runs it. It does nothing if the service is not in this process.
func (c *Session) adoptInterruptedJob(ctx context.Context, key string) error {
	if !c.Embedded {
		return nil
	}
	return c.App.AdoptInterruptedJob(ctx, key)
}

// RunsElsewhere reports whether the service is in this process, but another process runs the job of
// the object with the given key.
func (c *Session) RunsElsewhere(ctx context.Context, key string) (elsewhere bool, err error) {
	if !c.Embedded {
		return false, nil
	}
	return c.App.RunsElsewhere(ctx, key)
}

// HasExtensions reports whether the service has foretell's extensions to the API. A service in this
// process always has the extensions. For a server, dataset decides: if it has classes, the server
// has the extensions. dataset must be prepared, because before that it has no classes.
func (c *Session) HasExtensions(dataset *api.Dataset) bool {
	return c.Embedded || len(dataset.Classes) > 0
}
