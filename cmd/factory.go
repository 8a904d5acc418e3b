// Package cmd is the command line: one file per noun or verb, and the wiring of
// everything below. A command file has four blocks in one order: the options, the
// constructor, run, the helpers.
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

// factory holds a command's environment: arguments, variables, clock and streams, read
// here once and passed down.
type factory struct {
	args    []string
	env     func(string) string
	now     func() time.Time
	streams [3]*os.File // in, out, error
	console *term.Console
	// color is the value of --color.
	color string
	// running is the current command; nil until it is known.
	running *cobra.Command
	// pagerRunning is set while a pager controls the terminal.
	pagerRunning atomic.Bool
	// cancel cancels the command.
	cancel context.CancelCauseFunc
	// dryRun is the transport of --dry-run; nil without it.
	dryRun *dryRunTransport
	// stoppedBySignal is set if a long-running command was stopped by a signal as
	// intended.
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

// run runs the command and prints its error.
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

// execute runs the command; it returns a panic as an error.
func (f *factory) execute(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e := exitErrorf(ExitUnexpected, "internal error: %v", p).withHint("set %s=1 for a stack trace", envDebug)
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

// wantsJSON reports whether to print errors as JSON, even if the flags are invalid.
func (f *factory) wantsJSON() bool {
	args := f.args
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true") || slices.ContainsFunc(args, isFilterFlag)
}

// catchSignals returns a context that ends with the first signal. The second signal ends
// the process immediately, except SIGHUP: when a terminal is closed, both the kernel and
// the shell often send one.
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
		// The reader of our output may be gone with the terminal. That must not end the
		// process before the best model is kept.
		signal.Ignore(syscall.SIGPIPE)
		interrupted := &interruptError{first}
		cancel(interrupted)
		for again := range signals {
			if again != syscall.SIGHUP {
				fmt.Fprintln(f.streams[2], "foretell: stopped immediately; unfinished work is lost")
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

// note prints a notice to standard error.
func (f *factory) note(format string, args ...any) {
	fmt.Fprintf(f.console.Err, "%s\n", f.console.Fit(term.EscapeLines(f.keepFlags(fmt.Sprintf(format, args...)))))
}
