package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// AwaitModel shows a race that the command has started until the race ends, and returns it. It
// returns an error if the race has no model. The user can end the wait earlier:
//
//   - Enter on a terminal ends the race and keeps its best model.
//   - The first Ctrl-C on a terminal does the same if the race is in this process.
//   - Any other Ctrl-C ends the wait with an error. A race in this process is stopped and its best
//     model is kept. A race on a server continues.
func (c *Session) AwaitModel(ctx context.Context, key string) (*api.Training, error) {
	job, err := c.AwaitRace(ctx, key)
	return job, c.RaceError(job, err)
}

// AwaitRace is like [Session.AwaitModel], but a race without a model is not an error.
func (c *Session) AwaitRace(ctx context.Context, key string) (*api.Training, error) {
	job, err := c.watchStoppable(ctx, key)
	if err == nil {
		return job, nil
	}
	var interrupted *exit.InterruptError
	if !c.Embedded || !errors.As(context.Cause(ctx), &interrupted) {
		return nil, c.WaitError(ctx, err, "race", key, c.RaceCommand(key))
	}
	e := &exit.Error{Status: interrupted.Status(), Fact: "interrupted: the race was stopped", Cause: err}
	kept, err := c.StopRace(context.WithoutCancel(ctx), key)
	switch {
	case err != nil:
		e.Fact = fmt.Sprintf("interrupted: the race could not be stopped: %v", err)
		e = e.WithHint("stop it with `foretell training cancel %s`", key)
	case kept.ModelKey != "":
		e.Fact += "; its best model is kept"
		if kept.AchievedPerformance != nil {
			e.Fact += fmt.Sprintf(" (%s %.4f)", api.PerformanceName(kept.Metric), *kept.AchievedPerformance)
		}
		predict := "foretell predictions create " + kept.ModelKey + " BLIND.csv"
		if c.PredictCommand != nil {
			predict = c.PredictCommand(kept.ModelKey)
		}
		e = e.WithHint("predict with it: `%s`", c.resumeCommand(predict, key))
	default:
		e.Fact += " before there was a model"
		e = e.WithHint("start another with `%s`", c.resumeCommand("foretell training create "+kept.DatasetKey, ""))
	}
	return nil, e
}

// RaceCommand returns the command line with which the user can continue this command after an
// interruption. The returned command line waits for the race, and then does the rest of this
// command, such as a prediction.
func (c *Session) RaceCommand(key string) string {
	again := "foretell training watch " + key
	if c.PredictCommand != nil {
		again = c.PredictCommand(`"$(` + again + ` --jq .modelKey)"`) // predicts after the race
	}
	return c.resumeCommand(again, key)
}

// StartRace starts a race. If the response is lost, the race may have started. The error then says
// how to find and continue it, so that the user does not start a second race.
func (c *Session) StartRace(ctx context.Context, in *api.CreateTrainingInput) (*api.CreatedTraining, error) {
	created, err := c.CreateTraining(ctx, in)
	if err == nil || !client.MayHaveSucceeded(err) {
		return created, err
	}
	return nil, exit.FromError(ctx, err).WithHint("the race may have started: if `foretell training list` shows the race, continue with `%s`, where KEY is the key of the race; otherwise run the command again", c.RaceCommand("KEY"))
}

// stopTimeout limits how long [Session.StopRace] waits for a cancelled race to store its model.
const stopTimeout = 3 * time.Second

// StopRace cancels a race in this process and waits until it has ended.
func (c *Session) StopRace(ctx context.Context, key string) (*api.Training, error) {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	if _, err := client.Call(ctx, c.Client, api.CancelTraining, &api.TrainingInput{TrainingJobKey: key}); err != nil {
		if api.CodeFromError(err) != api.CodeWrongState { // the race has already ended
			return nil, err
		}
	}
	return c.WaitTraining(ctx, key, nil)
}

// WatchRace shows a race until it ends, and returns it. If replay is set, it also shows a race
// that has ended already.
func (c *Session) WatchRace(ctx context.Context, key string, replay bool) (*api.Training, error) {
	return c.watchRace(ctx, key, raceWatchOptions{replay: replay})
}

// raceWatchOptions holds the options of watchRace.
type raceWatchOptions struct {
	replay bool // show a race that has ended already
	// stop is nil if the user cannot end the race from the terminal.
	stop *raceStop
}

// watchRace shows a race until it ends, and returns it.
func (c *Session) watchRace(ctx context.Context, key string, w raceWatchOptions) (*api.Training, error) {
	job, err := client.Call(ctx, c.Client, api.GetTraining, &api.TrainingInput{TrainingJobKey: key})
	if err != nil {
		return nil, err
	}
	if err := c.adoptInterruptedJob(ctx, cmp.Or(job.ParentTrainingJobKey, key)); err != nil {
		return nil, err
	}
	opts := term.RaceOptions{
		Name: job.DatasetName, Metric: api.PerformanceName(job.Metric), Threshold: job.TargetPerformance,
		Limit: time.Duration(job.TimeLimitSeconds) * time.Second, Replay: w.replay, Stoppable: w.stop != nil,
	}
	if began, err := time.Parse(api.TimeLayout, job.StartedOn); err == nil {
		opts.Start = began
	}
	if ended, err := time.Parse(api.TimeLayout, job.FinishedOn); err == nil {
		opts.End = ended
	}
	race := c.Progress.StartRace(opts)
	defer race.Done()
	if w.stop != nil {
		w.stop.view.Store(race)
	}
	activity := c.newActivityFunc(ctx)
	ended, err := c.WaitTraining(ctx, key, func(p *api.TrainingProgress) {
		now := activity(p)
		if p == nil {
			race.Update(nil, now)
			return
		}
		if w.stop != nil {
			w.stop.update(p)
			if w.stop.requested.Load() {
				now = w.stop.activityText(now)
			}
		}
		race.Update(toRunStates(p.Jobs, job.TargetPerformance), now)
	})
	if err == nil && ended.ModelKey != "" && ended.Algorithm != "" {
		race.SetWinner(term.RunState{
			Name: ended.Algorithm, Title: api.AlgorithmTitle(ended.Algorithm), StateLabel: "kept", Done: true,
			BestScore: ended.AchievedPerformance, LogLoss: ended.LogLoss,
		})
	}
	return ended, err
}

// newActivityFunc returns a function that describes what a race does while no algorithm is
// training: it waits in the queue or for a worker, or builds the model. A nil p means that the
// service does not respond. While an algorithm is training, the function returns "".
func (c *Session) newActivityFunc(ctx context.Context) func(p *api.TrainingProgress) string {
	learns := func(run api.AlgorithmRun) bool {
		return run.Status == api.TrainingPending || run.Status == api.TrainingRunning
	}
	remedy := sync.OnceValue(func() string { return c.queueHint(ctx) })
	return func(p *api.TrainingProgress) string {
		switch {
		case p == nil:
			return outageActivity
		case p.WaitingFor == api.WaitingForWorker:
			return waitingActivity(p.WaitingFor)
		case p.Status == api.TrainingPending && p.QueuedBehind > 0:
			return "queued behind " + humanize.Count(p.QueuedBehind, "race") + remedy()
		case p.Status == api.TrainingRunning && len(p.Jobs) > 0 && !slices.ContainsFunc(p.Jobs, learns):
			return cmp.Or(waitingActivity(p.WaitingFor), "building the model")
		}
		return ""
	}
}

// queueHint returns the end of a text such as "queued behind 3 races, one of them yours, on iris;
// stop it with `foretell training cancel KEY`", from the comma on. It returns "" if no race of this
// account is running.
func (c *Session) queueHint(ctx context.Context) string {
	for job, err := range client.AllTrainings(ctx, c.Client, true) {
		if err != nil {
			return "" // the polls of the race will report the error
		}
		if job.Status == api.TrainingRunning {
			return ", one of them yours, on " + job.DatasetName + "; stop it with `foretell training cancel " + job.TrainingJobKey + "`"
		}
	}
	return ""
}

// toRunStates converts the progress of the algorithms of a race for [term.RaceView]. threshold is
// nil if the race has no threshold.
func toRunStates(jobs []api.AlgorithmRun, threshold *float64) []term.RunState {
	states := make([]term.RunState, len(jobs))
	for i, job := range jobs {
		l := term.RunState{
			Name: job.Algorithm, Title: api.AlgorithmTitle(job.Algorithm), State: job.Status, Recent: job.RecentPerformances, Steps: job.Steps,
			BestScore: job.KeptPerformance, LogLoss: job.LogLoss,
			StateLabel: api.FormatOutcome(job.Outcome, threshold), Done: true,
		}
		if len(job.Performances) > 0 {
			l.Recent = job.Performances
		}
		switch job.Outcome {
		case api.OutcomePending:
			l.StateLabel, l.Done = "waiting", false
		case api.OutcomeRunning, "": // "" is an unknown state of another deployment
			l.StateLabel, l.Done = "learning", false
		}
		states[i] = l
	}
	return states
}

// AwaitRaceSilently waits until a race has ended, without showing its scores, and returns it.
func (c *Session) AwaitRaceSilently(ctx context.Context, key string) (*api.Training, error) {
	if err := c.adoptInterruptedJob(ctx, key); err != nil {
		return nil, err
	}
	phase := c.Progress.StartPhase("racing")
	defer phase.Done()
	activity := c.newActivityFunc(ctx)
	return c.WaitTraining(ctx, key, func(p *api.TrainingProgress) { phase.Tick(activity(p)) })
}

// TrainingError returns an error if a race failed, was cancelled or has no model.
func TrainingError(job *api.Training) error {
	switch {
	case job.Status == api.TrainingFailed, job.Status == api.TrainingCancelled:
	case job.ModelKey == "":
	default:
		return nil
	}
	e := exit.Errorf(exit.JobFailed, "race %s ended in state %s", job.TrainingJobKey, job.Status)
	if job.FailureReason != "" {
		e.Fact += ": " + job.FailureReason
	}
	if job.ModelKey != "" {
		return e.WithHint("its best model is kept; see `foretell models get %s`", job.ModelKey)
	}
	return e.WithHint("see `foretell training progress %s`", job.TrainingJobKey)
}

// ValueOrZero returns *p, or 0 if p is nil.
func ValueOrZero(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}
