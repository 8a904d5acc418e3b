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

// waiter holds the flags of a command that waits for jobs.
type waiter struct {
	connector
	noWait bool
}

// bind adds the flags of a command that can also leave the job to itself.
func (w *waiter) bind(cmd *cobra.Command, h *host) {
	w.bindWait(cmd, h)
	cmd.Flags().BoolVar(&w.noWait, "no-wait", false, "do not wait for the job")
}

// bindWait adds the flags of a command that is there to wait.
func (w *waiter) bindWait(cmd *cobra.Command, h *host) {
	w.connector.bind(cmd, h)
	cmd.Flags().Duration(keyTimeout, 0, "stop waiting after this time; the job runs on (exit status 8)")
	w.bindProgress(cmd)
}

func (w *waiter) bindProgress(cmd *cobra.Command) {
	cmd.Flags().String(keyProgress, string(term.Auto), "how to show progress: "+strings.Join(term.Modes(), ", "))
	_ = cmd.RegisterFlagCompletionFunc(keyProgress, cobra.FixedCompletions(term.Modes(), cobra.ShellCompDirectiveNoFileComp))
}

// walk is a command's way through a service: signed in, with progress to show.
type walk struct {
	*connection
	progress *term.Progress
	// onward is the command that goes on with a race, by its key, to all that was
	// asked for; with "" it starts from the beginning. It is nil where the race is
	// all that was asked for.
	onward func(race string) string
}

// further is what goes on with a race, or starts one for "": the walk's own command
// if it has one, else this.
func (w *walk) further(command, race string) string {
	if w.onward == nil {
		return command
	}
	return w.onward(race)
}

// open signs in to the service. The context ends with --timeout; done ends the
// walk.
func (w *waiter) open(ctx context.Context) (_ context.Context, _ *walk, done func(), err error) {
	ctx, progress, cancel, err := w.start(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	conn, err := w.connect(ctx)
	if err != nil {
		cancel()
		return nil, nil, nil, err
	}
	done = func() {
		conn.Close()
		cancel()
	}
	return ctx, &walk{connection: conn, progress: progress}, done, nil
}

// start reads the settings of a wait without signing in.
func (w *waiter) start(ctx context.Context) (context.Context, *term.Progress, context.CancelFunc, error) {
	s, err := w.host.settings(w.cmd.Flags())
	if err != nil {
		return nil, nil, nil, err
	}
	mode := term.Mode(cmp.Or(s.GetString(keyProgress), string(term.Auto)))
	if !slices.Contains(term.Modes(), string(mode)) {
		return nil, nil, nil, usage("%s %q: it takes %s", s.source(keyProgress), mode, strings.Join(term.Modes(), ", "))
	}
	if quiet(w.cmd) || dryRun(w.cmd) {
		mode = term.None
	}
	timeout, err := time.ParseDuration(cmp.Or(s.GetString(keyTimeout), "0s"))
	if err != nil || timeout < 0 {
		return nil, nil, nil, usage("%s %q: a duration such as 90s, 30m or 2h is needed", s.source(keyTimeout), s.GetString(keyTimeout))
	}
	progress, cancel := w.host.console.NewProgress(mode, w.host.now), context.CancelFunc(func() {})
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	}
	return ctx, progress, cancel, nil
}

// progressIsOpen reports whether nobody said how to show progress.
func (w *waiter) progressIsOpen() bool {
	s, err := w.host.settings(w.cmd.Flags())
	return err == nil && cmp.Or(s.GetString(keyProgress), string(term.Auto)) == string(term.Auto)
}

// takeUp has this process do the work that a command waits for, where the
// service is in this process and no other does it.
func (w *walk) takeUp(ctx context.Context, key string) error {
	if !w.embedded {
		return nil
	}
	return w.inside.TakeUp(ctx, key)
}

// elsewhere reports whether another process on the embedded service's folder
// does the work.
func (w *walk) elsewhere(ctx context.Context, key string) (bool, error) {
	if !w.embedded {
		return false, nil
	}
	return w.inside.Elsewhere(ctx, key)
}

// left explains why a wait ended before the job: by --timeout, by Ctrl-C or by a
// lost connection. The job on key, a noun's, runs on or waits until somebody
// asks for it; again is the command that goes on with it.
func (w *walk) left(ctx context.Context, err error, noun, key, again string) error {
	what, where := noun+" "+key, "it runs on"
	if away, lookErr := w.elsewhere(context.WithoutCancel(ctx), key); w.embedded && lookErr == nil {
		where = "it waits until somebody asks for it"
		if away {
			where = "it runs on in another process"
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fail(ExitStillRunning, "%s is not done after --timeout: %s", what, where).advise("go on with `%s`", again)
	}
	var stopped *interruption
	if errors.As(context.Cause(ctx), &stopped) {
		f := &failure{exit: stopped.exit(), fact: "interrupted while waiting for " + what + ": " + where, cause: err}
		return f.advise("go on with `%s`", again)
	}
	var network *client.NetworkError
	if errors.As(err, &network) {
		return explain(ctx, err).advise("once it answers again, go on with `%s`", again)
	}
	return err
}
