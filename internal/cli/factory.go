// Package cli has the parts that all commands share: environment, arguments, flags, prompts,
// help, completion and output. It depends neither on a command nor on the service.
package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel/trace"

	"foretell/internal/config"
	"foretell/internal/term"
)

// Factory holds a command's environment: arguments, variables, clock and streams. Commands
// use it instead of package os and time.Now.
type Factory struct {
	Args []string
	Env  func(string) string
	// Environ returns all variables, for the pager.
	Environ func() []string
	Now     func() time.Time
	Streams [3]*os.File // standard input, output and error
	// Stdout writes to the standard output; Console.Out is the same. OpenConsole sets it.
	Stdout  *Stdout
	Console *term.Console
	// Color is the value of --color.
	Color string
	// Running is the current command; nil until it is known.
	Running *cobra.Command
	// PagerRunning is set while a pager controls the terminal.
	PagerRunning atomic.Bool
	// OnHangup is called on SIGHUP. If it is nil, SIGHUP cancels the command.
	OnHangup atomic.Pointer[func()]
	// OnInterrupt is called on the next Ctrl-C and then cleared. If it is nil, Ctrl-C
	// cancels the command.
	OnInterrupt atomic.Pointer[func()]
	// Cancel cancels the command.
	Cancel context.CancelCauseFunc
	// DryRun is the transport of --dry-run; nil without it.
	DryRun *dryRunTransport
	// Tracer creates the spans of the command; nil without tracing. Span is the span of the
	// whole command, or nil.
	Tracer trace.Tracer
	Span   trace.Span
	// Inner is set if the command is a step of another command, such as demo.
	Inner bool
	// StoppedBySignal is set if a signal stopped a command that runs until it is stopped.
	StoppedBySignal bool
	// Embedded is set if the command uses a service in this process.
	Embedded bool
	// NotesAreEvents is set when a command has read that it shows progress as JSON: Note then writes
	// JSON events.
	NotesAreEvents bool

	finalCommands []string // command lines of hints that RepeatFlagsInCommands must not change
}

// OpenConsole sets Console to a console on the streams, with the colours that Color selects.
func (f *Factory) OpenConsole() {
	if f.Stdout == nil {
		f.Stdout = &Stdout{file: f.Streams[1], stop: f.stopOnBrokenPipe}
	}
	f.Console = term.OpenConsole(f.Streams[0], f.Streams[1], f.Streams[2], f.Env, f.Color)
	f.Console.Out = f.Stdout
}

// NewNested returns the Factory of a command that is a step of f's command. env has the variables of
// the step; see [config.Isolate]. The parameter in is the standard input of the step. out is its
// standard output; nil means the standard output of f.
func (f *Factory) NewNested(args []string, env config.Getenv, in, out *os.File) *Factory {
	inner := &Factory{
		Args: args, Env: env, Environ: f.Environ, Now: f.Now, Color: f.Color, Cancel: f.Cancel, Inner: true,
		Streams: [3]*os.File{in, out, f.Streams[2]},
	}
	if out == nil {
		inner.Streams[1], inner.Stdout = f.Streams[1], f.Stdout
	}
	inner.OpenConsole()
	return inner
}

// WantsJSON reports whether the flags select JSON for the result. It searches Args for them, because
// invalid flags cannot be parsed.
func (f *Factory) WantsJSON() bool {
	return slices.ContainsFunc(f.argsBeforeDashes(), func(arg string) bool {
		value, isJSON := strings.CutPrefix(arg, "--json=")
		on, err := strconv.ParseBool(value)
		return arg == "--json" || isJSON && on && err == nil || isFilterFlag(arg)
	})
}

// WantsJSONErrors reports whether an error is printed as JSON: if WantsJSON returns true, or with
// --progress json. It searches Args for this flag, and the variables and the config file for the
// same setting. NotesAreEvents is not sufficient, because an error about a flag occurs before the
// command sets it.
func (f *Factory) WantsJSONErrors() bool {
	if f.NotesAreEvents || f.WantsJSON() {
		return true
	}
	args := f.argsBeforeDashes()
	for i, arg := range args {
		if arg == "--progress=json" || arg == "json" && i > 0 && args[i-1] == "--progress" {
			return true
		}
	}
	if f.Running == nil || f.Running.Flags().Lookup(config.KeyProgress) == nil {
		return false
	}
	s, err := config.Load(f.Env, f.Running.Flags())
	return err == nil && s.GetString(config.KeyProgress) == string(term.JSON)
}

// argsBeforeDashes returns the arguments before "--", which may be flags.
func (f *Factory) argsBeforeDashes() []string {
	if i := slices.Index(f.Args, "--"); i >= 0 {
		return f.Args[:i]
	}
	return f.Args
}

// IsStdout reports whether path is "-" or names the same file as standard output, such as
// /dev/stdout. Such a file must not be opened again, because two writers would overwrite each
// other's output.
func (f *Factory) IsStdout(path string) bool {
	if path == "-" {
		return true
	}
	if path == os.DevNull { // the null device discards everything
		return false
	}
	named, err := os.Stat(path)
	if err != nil || f.Streams[1] == nil {
		return false
	}
	stdout, err := f.Streams[1].Stat()
	return err == nil && os.SameFile(named, stdout)
}

// noteEvent is a notice among the events of --progress json.
type noteEvent struct {
	Event   string `json:"event"`
	Message string `json:"message"`
}

// Note prints a notice to standard error.
func (f *Factory) Note(format string, args ...any) {
	text := f.RepeatFlagsInCommands(fmt.Sprintf(format, args...))
	if f.NotesAreEvents {
		line, _ := term.EncodeJSONLine(noteEvent{"note", text}) // a string can always be encoded
		_, _ = f.Console.Err.Write(line)                        // as below, an unwritable notice is no error
		return
	}
	fmt.Fprintf(f.Console.Err, "%s\n", f.Console.WrapMessage(term.EscapeLines(text)))
}

// WarnInvalidProxy prints a warning if requests to server are sent without a proxy because the variable
// that should name the proxy has an invalid value.
func (f *Factory) WarnInvalidProxy(server string) {
	if variable := config.InvalidProxy(f.Env, server); variable != "" {
		f.Note("warning: %s is not the address of a proxy, so requests are sent without a proxy", variable)
	}
}
