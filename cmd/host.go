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

// host is where a command runs: what it gets from outside, read here once and
// passed down.
type host struct {
	args    []string
	env     func(string) string
	now     func() time.Time
	streams [3]*os.File // in, out, error
	console *term.Console
	// color is the flag --color.
	color string
	// running is the command, once it is known.
	running *cobra.Command
	// paging is set while a pager has the terminal.
	paging atomic.Bool
	// end breaks the command off.
	end context.CancelCauseFunc
	// rehearsal is that of --dry-run; nil without.
	rehearsal *rehearsal
	// untilStopped is set once a command that runs until a signal comes has ended
	// in order because of one.
	untilStopped bool
}

// Main runs the command line of this process and returns its exit status.
func Main() int {
	if os.Getenv("GOGC") == "" { // whoever sets it knows better
		spareMemory()
	}
	h := &host{
		args: os.Args[1:], env: os.Getenv, now: time.Now,
		streams: [3]*os.File{os.Stdin, os.Stdout, os.Stderr},
	}
	return int(h.run())
}

// run runs one command and prints what kept it from success.
func (h *host) run() Exit {
	h.openConsole()
	ctx, stop := h.catchSignals()
	defer stop()
	ctx, h.end = context.WithCancelCause(ctx)
	defer h.end(nil)
	err := h.execute(ctx)
	var stopped *interruption
	interrupted := errors.As(context.Cause(ctx), &stopped)
	if h.rehearsal != nil {
		h.openConsole()
		if !interrupted && (err == nil || h.rehearsal.invents) { // what follows an invented answer is no failure
			err = h.printRehearsal()
		}
	}
	if err == nil {
		if interrupted && !h.untilStopped {
			return stopped.exit()
		}
		return ExitOK
	}
	failure := explain(ctx, err)
	h.finish(failure)
	failure.write(h.console, h.wantsJSON())
	return failure.exit
}

// execute runs the command; a panic in it is an error.
func (h *host) execute(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			f := fail(ExitUnexpected, "a defect of this program: %v", p).advise("set %s=1 to see where", envDebug)
			f.code = "panic"
			if h.env(envDebug) != "" {
				f.fact += "\n" + string(debug.Stack())
			}
			err = f
		}
	}()
	root := newRootCmd(h)
	args := inOrder(root, h.args)
	if completing(args) {
		offerShared(root)
		plainUsage(root)
	}
	root.SetArgs(args)
	h.running, err = root.ExecuteContextC(ctx)
	return err
}

func (h *host) openConsole() {
	h.console = term.Open(h.streams[0], h.streams[1], h.streams[2], h.env, h.color)
}

// wantsJSON reports whether to print errors as JSON, also when the flags could not
// be read.
func (h *host) wantsJSON() bool {
	args := h.args
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true") || slices.ContainsFunc(args, wantsFilter)
}

// catchSignals returns a context that ends with the first signal. The second one
// ends the process at once, unless it is a SIGHUP: of a closed terminal there
// often come two, from the kernel and from the shell.
func (h *host) catchSignals() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup wants it to be
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		first, ok := <-signals
		for ok && h.paging.Load() {
			first, ok = <-signals
		}
		if !ok {
			return
		}
		// What reads our output may be gone with the terminal: that must not end
		// the process before the best model is kept.
		signal.Ignore(syscall.SIGPIPE)
		stopped := &interruption{first}
		cancel(stopped)
		for again := range signals {
			if again != syscall.SIGHUP {
				fmt.Fprintln(h.streams[2], "foretell: stopped at once; what was under way is not kept")
				os.Exit(int(stopped.exit()))
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
func (h *host) note(format string, args ...any) {
	fmt.Fprintf(h.console.Err, "%s\n", h.console.Fit(term.EscapeLines(h.pin(fmt.Sprintf(format, args...)))))
}
