package cmd

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/client"
	"foretell/internal/term"
)

// waitFlags holds the flags of a command that waits for jobs.
type waitFlags struct {
	serviceFlags
	noWait bool
}

// bind adds the flags of a command that waits by default.
func (w *waitFlags) bind(cmd *cobra.Command, f *factory) {
	w.bindWait(cmd, f)
	cmd.Flags().BoolVar(&w.noWait, "no-wait", false, "do not wait for the job")
}

// bindWait adds the flags of a command that always waits.
func (w *waitFlags) bindWait(cmd *cobra.Command, f *factory) {
	w.serviceFlags.bind(cmd, f)
	cmd.Flags().Duration(keyTimeout, 0, "stop waiting after this time; the job continues (exit status 8)")
	w.bindProgress(cmd)
}

func (w *waitFlags) bindProgress(cmd *cobra.Command) {
	cmd.Flags().String(keyProgress, string(term.Auto), "how to show progress: "+strings.Join(term.Modes(), ", "))
	_ = cmd.RegisterFlagCompletionFunc(keyProgress, cobra.FixedCompletions(term.Modes(), cobra.ShellCompDirectiveNoFileComp))
}

// open connects to the service. The context ends with --timeout; done closes the session.
func (w *waitFlags) open(ctx context.Context) (_ context.Context, _ *session, done func(), err error) {
	ctx, progress, cancel, err := w.start(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	session, err := w.connect(ctx)
	if err != nil {
		cancel()
		return nil, nil, nil, err
	}
	done = func() {
		session.Close()
		cancel()
	}
	session.progress = progress
	return ctx, session, done, nil
}

// start applies the flags without connecting.
func (w *waitFlags) start(ctx context.Context) (context.Context, *term.Progress, context.CancelFunc, error) {
	s, err := w.host.settings(w.cmd.Flags())
	if err != nil {
		return nil, nil, nil, err
	}
	mode := term.Mode(cmp.Or(s.GetString(keyProgress), string(term.Auto)))
	if !slices.Contains(term.Modes(), string(mode)) {
		return nil, nil, nil, usageErrorf("invalid %s %q: want %s", s.originName(keyProgress), mode, strings.Join(term.Modes(), ", "))
	}
	if isQuiet(w.cmd) || isDryRun(w.cmd) {
		mode = term.None
	}
	timeout, err := time.ParseDuration(cmp.Or(s.GetString(keyTimeout), "0s"))
	if err != nil || timeout < 0 {
		return nil, nil, nil, usageErrorf("invalid %s %q: want a duration such as 90s, 30m or 2h", s.originName(keyTimeout), s.GetString(keyTimeout))
	}
	progress, cancel := w.host.console.NewProgress(mode, w.host.now), context.CancelFunc(func() {})
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	}
	return ctx, progress, cancel, nil
}

// progressIsAuto reports whether --progress is auto.
func (w *waitFlags) progressIsAuto() bool {
	s, err := w.host.settings(w.cmd.Flags())
	return err == nil && cmp.Or(s.GetString(keyProgress), string(term.Auto)) == string(term.Auto)
}

// waitError explains why a wait ended before the job: --timeout, Ctrl-C or a lost
// connection. again is the command that continues the wait.
func (c *session) waitError(ctx context.Context, err error, noun, key, again string) error {
	what, where := noun+" "+key, "it is still running"
	if away, lookErr := c.runsElsewhere(context.WithoutCancel(ctx), key); c.embedded && lookErr == nil {
		where = "it is paused until somebody waits for it"
		if away {
			where = "it is still running in another process"
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return exitErrorf(ExitStillRunning, "%s is not done after --timeout: %s", what, where).withHint("continue with `%s`", again)
	}
	var interrupted *interruptError
	if errors.As(context.Cause(ctx), &interrupted) {
		e := &cliError{exit: interrupted.exit(), fact: "interrupted while waiting for " + what + ": " + where, cause: err}
		return e.withHint("continue with `%s`", again)
	}
	var network *client.NetworkError
	if errors.As(err, &network) {
		return asCLIError(ctx, err).withHint("when it responds again, continue with `%s`", again)
	}
	return err
}
