// Package cmd is the command line: one file per noun or verb, and the wiring of
// everything below. A command file has four blocks in one order: the options,
// the constructor, the run, the helpers.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/term"
)

// factory is where a command runs: what it gets from outside, read here once and
// passed down.
type factory struct {
	args    []string
	env     func(string) string
	now     func() time.Time
	streams [3]*os.File // in, out, error
	console *term.Console
	// color is the flag --color.
	color string
	// running is the command, once it is known.
	running *cobra.Command
	// pagerRunning is set while a pager has the terminal.
	pagerRunning atomic.Bool
	// cancel breaks the command off.
	cancel context.CancelCauseFunc
	// dryRun is that of --dry-run; nil without.
	dryRun *dryRunTransport
	// stoppedBySignal is set once a command that runs until a signal comes has ended
	// in order because of one.
	stoppedBySignal bool
}

// Main runs the command line of this process and returns its exit status.
func Main() int {
	if os.Getenv("GOGC") == "" { // whoever sets it knows better
		tuneGC()
	}
	f := &factory{
		args: os.Args[1:], env: os.Getenv, now: time.Now,
		streams: [3]*os.File{os.Stdin, os.Stdout, os.Stderr},
	}
	return int(f.run())
}

// run runs one command and prints what kept it from success.
func (f *factory) run() Exit {
	f.openConsole()
	ctx, stop := f.catchSignals()
	defer stop()
	ctx, f.cancel = context.WithCancelCause(ctx)
	defer f.cancel(nil)
	err := f.execute(ctx)
	var stopped *interruptError
	interrupted := errors.As(context.Cause(ctx), &stopped)
	if f.dryRun != nil {
		f.openConsole()
		if !interrupted && (err == nil || f.dryRun.simulated) { // what follows an invented answer is no failure
			err = f.printDryRun()
		}
	}
	if err == nil {
		if interrupted && !f.stoppedBySignal {
			return stopped.exit()
		}
		return ExitOK
	}
	failure := asCLIError(ctx, err)
	f.completeHint(failure)
	failure.write(f.console, f.wantsJSON())
	return failure.exit
}

// execute runs the command; a panic in it is an error.
func (f *factory) execute(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e := exitErrorf(ExitUnexpected, "a defect of this program: %v", p).withHint("set %s=1 to see where", envDebug)
			e.code = "panic"
			if f.env(envDebug) != "" {
				e.fact += "\n" + string(debug.Stack())
			}
			err = e
		}
	}()
	root := newRootCmd(f)
	args := flagsAfterCommand(root, f.args)
	if isCompletion(args) {
		addSharedFlags(root)
		stripBackquotes(root)
	}
	root.SetArgs(args)
	f.running, err = root.ExecuteContextC(ctx)
	return err
}

func (f *factory) openConsole() {
	f.console = term.Open(f.streams[0], f.streams[1], f.streams[2], f.env, f.color)
}

// wantsJSON reports whether to print errors as JSON, also when the flags could not
// be read.
func (f *factory) wantsJSON() bool {
	args := f.args
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true") || slices.ContainsFunc(args, isFilterFlag)
}

// catchSignals returns a context that ends with the first signal. The second one
// ends the process at once, unless it is a SIGHUP: of a closed terminal there
// often come two, from the kernel and from the shell.
func (f *factory) catchSignals() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup wants it to be
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		first, ok := <-signals
		for ok && f.pagerRunning.Load() {
			first, ok = <-signals
		}
		if !ok {
			return
		}
		// What reads our output may be gone with the terminal: that must not end
		// the process before the best model is kept.
		signal.Ignore(syscall.SIGPIPE)
		interrupted := &interruptError{first}
		cancel(interrupted)
		for again := range signals {
			if again != syscall.SIGHUP {
				fmt.Fprintln(f.streams[2], "foretell: stopped at once; what was under way is not kept")
				os.Exit(int(interrupted.exit()))
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel(nil)
	}
}

// note tells a fact beside the result.
func (f *factory) note(format string, args ...any) {
	fmt.Fprintf(f.console.Err, "%s\n", f.console.Fit(term.EscapeLines(f.keepFlags(fmt.Sprintf(format, args...)))))
}
