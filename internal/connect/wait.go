package connect

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// WaitFlags holds the flags of a command that waits for jobs.
type WaitFlags struct {
	ServiceFlags
	// NoWait is the flag --no-wait.
	NoWait bool
}

// Bind adds the flags of a command that waits for a job unless --no-wait is set: --no-wait and the
// flags of BindWait.
func (w *WaitFlags) Bind(cmd *cobra.Command, f *cli.Factory) {
	w.BindWait(cmd, f)
	cmd.Flags().BoolVar(&w.NoWait, "no-wait", false, "do not wait for the job")
}

// BindWait adds the flags of a command that always waits for a job: the flags that select the
// service, --timeout and --progress.
func (w *WaitFlags) BindWait(cmd *cobra.Command, f *cli.Factory) {
	w.ServiceFlags.Bind(cmd, f)
	cmd.Flags().Duration(config.KeyTimeout, 0, "stop waiting after this time (exit status 8); the job continues")
	w.BindProgress(cmd)
}

// BindProgress adds only --progress to cmd.
func (w *WaitFlags) BindProgress(cmd *cobra.Command) {
	cmd.Flags().String(config.KeyProgress, string(term.Auto), "how to show progress: "+strings.Join(term.ProgressModes(), ", "))
	_ = cmd.RegisterFlagCompletionFunc(config.KeyProgress, cobra.FixedCompletions(term.ProgressModes(), cobra.ShellCompDirectiveNoFileComp))
}

// Open connects to the service. The returned context ends after --timeout. The caller must
// call done, which closes the session.
func (w *WaitFlags) Open(ctx context.Context) (_ context.Context, _ *Session, done func(), err error) {
	ctx, progress, cancel, err := w.StartProgress(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	session, err := w.Connect(ctx)
	if err != nil {
		cancel()
		return nil, nil, nil, err
	}
	done = func() {
		session.Close()
		cancel()
	}
	session.Progress = progress
	return ctx, session, done, nil
}

// StartProgress returns a context that ends after --timeout, and the display of progress that the
// flags select. The setting for --timeout has no effect on a command without this flag.
// StartProgress does not connect.
func (w *WaitFlags) StartProgress(ctx context.Context) (limited context.Context, progress *term.Progress, cancel context.CancelFunc, err error) {
	s, err := config.Load(w.Factory.Env, w.Cmd.Flags())
	if err != nil {
		return nil, nil, nil, err
	}
	mode := term.ProgressMode(cmp.Or(s.GetString(config.KeyProgress), string(term.Auto)))
	if !slices.Contains(term.ProgressModes(), string(mode)) {
		return nil, nil, nil, exit.Usagef("%s: must be %s", s.DescribeInvalid(config.KeyProgress), humanize.JoinOr(term.ProgressModes()))
	}
	w.Factory.NotesAreEvents = mode == term.JSON // also without progress
	if cli.IsQuiet(w.Cmd) || cli.IsDryRun(w.Cmd) {
		mode = term.None
	}
	var timeout time.Duration
	if w.Cmd.Flags().Lookup(config.KeyTimeout) != nil { // otherwise the command waits for no job
		timeout, err = time.ParseDuration(cmp.Or(s.GetString(config.KeyTimeout), "0s"))
		if err != nil || timeout < 0 {
			return nil, nil, nil, exit.Usagef("%s: must be a duration of at least 0s, such as 90s, 30m or 2h", s.DescribeInvalid(config.KeyTimeout))
		}
	}
	progress, cancel = w.Factory.Console.NewProgress(mode, w.Factory.Now), context.CancelFunc(func() {})
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	}
	return ctx, progress, cancel, nil
}

// ProgressIsAuto reports whether --progress is auto.
func (w *WaitFlags) ProgressIsAuto() bool {
	s, err := config.Load(w.Factory.Env, w.Cmd.Flags())
	return err == nil && cmp.Or(s.GetString(config.KeyProgress), string(term.Auto)) == string(term.Auto)
}

// outageActivity is the text that is shown while a command waits and the service does not respond.
const outageActivity = "the service does not respond; trying again"

// waitingActivity returns the text that is shown for a job that waits, such as "waiting: no worker
// is running". waitingFor is the field waitingFor in the response of the API. The result is "" if
// the job only waits for its turn.
func waitingActivity(waitingFor string) string {
	switch waitingFor {
	case api.WaitingForWorker:
		return "waiting: no worker is running"
	case api.WaitingForSpace:
		return "the disk of the service is full"
	}
	return ""
}

// WaitError converts err to an error with a message and a hint for users. err has ended a wait
// before the job ended, for example because of --timeout, Ctrl-C or a lost connection. noun and key
// identify the job. resumeCommand is the command that continues the wait.
func (c *Session) WaitError(ctx context.Context, err error, noun, key, resumeCommand string) error {
	what, where := noun+" "+key, "it is still running"
	if away, lookErr := c.RunsElsewhere(context.WithoutCancel(ctx), key); c.Embedded && lookErr == nil {
		where = "it starts over when a command waits for it"
		if away {
			where = "it is still running in another process"
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return exit.Errorf(exit.StillRunning, "%s did not finish before --timeout: %s", what, where).WithHint("continue with `%s`", resumeCommand)
	}
	var interrupted *exit.InterruptError
	if errors.As(context.Cause(ctx), &interrupted) {
		e := &exit.Error{Status: interrupted.Status(), Fact: "interrupted while waiting for " + what + ": " + where, Cause: err}
		if watch := "foretell training watch " + key; noun == "race" && !c.Embedded && resumeCommand != watch {
			return e.WithHint("continue with `%s`, or only watch the race with `%s`", resumeCommand, watch)
		}
		return e.WithHint("continue with `%s`", resumeCommand)
	}
	return exit.WithContinueCommand(ctx, err, resumeCommand)
}
