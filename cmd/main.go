// Package cmd is the command line. There is one file per command, with its options, its
// constructor, its run function and its helpers, in this order. Code that commands share is
// in the internal packages.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/rescue"
)

// Main runs the command line of this process and returns its exit status.
func Main() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(30) // a race needs a fifth less memory and the same time; see docs/benchmarks.md
	}
	f := &cli.Factory{
		Args: os.Args[1:], Env: os.Getenv, Environ: os.Environ, Now: time.Now,
		Streams: [3]*os.File{os.Stdin, os.Stdout, os.Stderr},
	}
	return int(run(f))
}

// run runs the command, prints its error and returns its exit status.
func run(f *cli.Factory) exit.Status {
	f.OpenConsole()
	ctx, stop := catchSignals(f)
	defer stop()
	ctx, f.Cancel = context.WithCancelCause(ctx)
	defer f.Cancel(nil)
	stopTracing, err := f.StartTracing()
	if err == nil {
		err = execute(ctx, f)
		stopTracing(err)
	}
	var stopped *exit.InterruptError
	interrupted := errors.As(context.Cause(ctx), &stopped)
	if f.DryRun != nil {
		f.OpenConsole()
		if !interrupted && (err == nil || f.DryRun.Simulated) { // with --dry-run, a command may fail because of a simulated response; the requests are still printed
			err = f.PrintDryRun()
		}
	}
	if interrupted && stopped.Status() == exit.BrokenPipe {
		return exit.BrokenPipe
	}
	if err == nil {
		err = f.Stdout.Err() // a write error that the command may have ignored
	}
	if err == nil {
		if interrupted && !f.StoppedBySignal {
			return stopped.Status()
		}
		return exit.OK
	}
	failure := exit.FromError(ctx, err)
	f.AddHint(failure)
	failure.Write(f.Console, f.WantsJSONErrors())
	return failure.Status
}

// execute runs the command. It returns a panic as an error.
func execute(ctx context.Context, f *cli.Factory) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e := exit.Errorf(exit.Unexpected, "internal error: %v", p).WithHint("set %s=1 for a stack trace", config.EnvDebug)
			e.Code = "panic"
			if debug, _ := config.ParseDebug(f.Env(config.EnvDebug)); debug {
				e.Fact += "\n" + string(rescue.Stack(p))
			}
			err = e
		}
	}()
	root := NewRootCmd(f)
	args := cli.MoveFlagsAfterCommand(root, f.Args)
	if cli.IsCompletionRequest(args) {
		cli.SetDefaultCompletions(root)
		cli.AddSharedFlags(root)
		cli.StripBackquotes(root)
	}
	root.SetArgs(args)
	f.Running, err = root.ExecuteContextC(ctx)
	return err
}

// handleSignal calls the handler of the signal s: f.OnHangup or f.OnInterrupt. It returns false if
// none is set.
func handleSignal(f *cli.Factory, s os.Signal) (handled bool) {
	var handle *func()
	switch s {
	case syscall.SIGHUP:
		handle = f.OnHangup.Load()
	case os.Interrupt:
		handle = f.OnInterrupt.Swap(nil)
	}
	if handle == nil {
		return false
	}
	(*handle)()
	return true
}

// repeatedSignalPeriod is the time after a signal in which the same signal is ignored as a copy of it.
// timeout(1) and some service managers send a signal twice: to the process and to its group.
const repeatedSignalPeriod = 200 * time.Millisecond

// terminationPeriod is the time after a signal in which a SIGTERM is ignored, because a logout, for
// example, sends a SIGHUP and a SIGTERM.
const terminationPeriod = time.Second

// catchSignals returns a context that the first signal cancels. A Ctrl-C while a pager runs, and a
// signal that handleSignal handles, do not count as the first. A second signal ends the process
// immediately. A SIGHUP does not count as the second, because the kernel and the shell often both
// send it when a terminal is closed. Copies of a signal are ignored; see [repeatedSignalPeriod] and
// [terminationPeriod].
func catchSignals(f *cli.Factory) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	// With this call, a write to a closed pipe returns an error; see cli.Stdout. By default, the
	// signal would end the process before its temporary files are removed. The channel is never read.
	// Unlike signal.Ignore, Notify does not change the signals of child processes, such as a pager.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores SIGHUP for the command
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		var interrupted *exit.InterruptError
		var last os.Signal
		var lastTime time.Time
		for next := range signals {
			period := repeatedSignalPeriod
			if next == syscall.SIGTERM {
				period = terminationPeriod
			}
			switch {
			case interrupted != nil && next == syscall.SIGHUP:
				continue
			case (next == last || interrupted != nil && next == syscall.SIGTERM) && f.Now().Sub(lastTime) < period:
				continue
			}
			last, lastTime = next, f.Now()
			switch {
			case interrupted == nil && (next == os.Interrupt && f.PagerRunning.Load() || handleSignal(f, next)):
			case interrupted == nil:
				interrupted = &exit.InterruptError{Signal: next}
				cancel(interrupted)
			default:
				fmt.Fprintln(f.Streams[2], "foretell: stopped immediately; unfinished work is lost")
				os.Exit(int(interrupted.Status()))
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel(nil)
	}
}
