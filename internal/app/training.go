package app

import (
	"context"
	"slices"
	"strconv"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

const (
	maxTimeLimitSeconds = 604_800
	// defaultSeed makes two training jobs with the same parameters alike.
	defaultSeed = 1
	// recentScores is how many scores the progress shows.
	recentScores = 5
)

func trainingPath(key string) string { return "/api/v1/training/" + key }

// CreateTraining queues a race on a COMPLETED dataset.
func (a *App) CreateTraining(ctx context.Context, in *api.CreateTrainingInput) (*api.CreatedTraining, error) {
	race, err := newTraining(in.Body)
	if err != nil {
		return nil, err
	}
	d, err := a.dataset(ctx, in.DatasetKey)
	if err != nil {
		return nil, err
	}
	if d.Status != api.DatasetCompleted {
		return nil, api.NewProblem(api.CodeWrongState, "dataset %s is %s: %s", d.Key, d.Status, untilTrainable[d.Status])
	}
	algorithms, err := chosenAlgorithms(in.Body.Algorithms, len(d.Classes))
	if err != nil {
		return nil, err
	}
	if race.Key, err = a.newKey(); err != nil {
		return nil, err
	}
	race.Account, race.Dataset, race.Status, race.Created = d.Account, d.Key, api.TrainingPending, a.now()
	if s := in.Body.FinishWithinSeconds; s != nil {
		race.Deadline = race.Created.Add(time.Duration(*s * float64(time.Second)))
	}
	jobs := []*store.Training{race}
	for i, algorithm := range algorithms {
		child := *race
		if child.Key, err = a.newKey(); err != nil {
			return nil, err
		}
		child.Parent, child.Position, child.Algorithm = race.Key, i+1, algorithm
		jobs = append(jobs, &child)
	}
	err = a.store.Write(ctx, func(t *store.Tx) error {
		for _, j := range jobs {
			if err := t.InsertTraining(ctx, j); err != nil {
				return err
			}
		}
		return a.queue(ctx, t, kindTrain, race.Account, race.Key)
	})
	if err != nil {
		return nil, missing(err, "dataset", d.Key)
	}
	a.pool.Wake(kindTrain)
	return &api.CreatedTraining{
		TrainingJobKey: race.Key, DatasetKey: d.Key, Status: race.Status,
		TrainingJobProgressURL: absolute(ctx, trainingPath(race.Key)+"/progress"),
	}, nil
}

// untilTrainable says what lies between a dataset and its training.
var untilTrainable = map[string]string{
	api.DatasetPending:    "add its CSV, and train when it is COMPLETED",
	api.DatasetProcessing: "train when it is COMPLETED",
	api.DatasetFailed:     "its failureReason tells what to mend in the CSV; create another dataset for the mended one",
}

// newTraining checks the parameters of a race and fills in the defaults.
func newTraining(n api.NewTraining) (*store.Training, error) {
	if n.ScalingFactor < 0 || n.ScalingFactor > api.MaxScalingFactor {
		return nil, api.NewFieldProblem("scalingFactor", "%d: must be 0 to %d", n.ScalingFactor, api.MaxScalingFactor)
	}
	threshold, err := threshold(n)
	if err != nil {
		return nil, err
	}
	r := &store.Training{
		ScalingFactor: n.ScalingFactor, Threshold: threshold, Metric: api.MetricAccuracy,
		Seconds: api.DefaultTimeLimitSeconds, Seed: defaultSeed,
	}
	switch n.Metric {
	case "":
	case api.MetricAccuracy, api.MetricBalancedAccuracy, api.MetricMacroF1, api.MetricROCAUC:
		r.Metric = n.Metric
	default:
		return nil, api.NewFieldProblem("metric", "%q: must be accuracy, balancedAccuracy, macroF1 or rocAuc", n.Metric)
	}
	if s := n.TimeLimitSeconds; s != nil {
		if *s < 1 || *s > maxTimeLimitSeconds {
			return nil, api.NewFieldProblem("timeLimitSeconds", "%d: must be 1 to %d", *s, maxTimeLimitSeconds)
		}
		r.Seconds = *s
	}
	if s := n.FinishWithinSeconds; s != nil && !(*s > 0 && *s <= maxTimeLimitSeconds) {
		return nil, api.NewFieldProblem("finishWithinSeconds", "%v: must be above 0 and at most %d", *s, maxTimeLimitSeconds)
	}
	if n.Seed != nil {
		if *n.Seed < 0 {
			return nil, api.NewFieldProblem("seed", "%d is below 0", *n.Seed)
		}
		r.Seed = *n.Seed
	}
	return r, nil
}

// threshold reads the two names of one thing; nil for no threshold.
func threshold(n api.NewTraining) (*float64, error) {
	name, given := "performanceThreshold", n.PerformanceThreshold
	if !given.Given {
		name, given = "targetPerformance", n.TargetPerformance
	}
	other := n.TargetPerformance
	switch {
	case !given.Given:
		return nil, api.NewFieldProblem("performanceThreshold", "is missing: a number from 0 to 1, or null for none")
	case given.Value != nil && !(*given.Value >= 0 && *given.Value <= 1):
		return nil, api.NewFieldProblem(name, "%v: must be 0 to 1", *given.Value)
	case other.Given && !sameNumber(other.Value, given.Value):
		return nil, api.NewFieldProblem("targetPerformance",
			"%s, while performanceThreshold is %s: they are two names of one thing", numberText(other.Value), numberText(given.Value))
	}
	return given.Value, nil
}

// sameNumber reports whether both are absent or equal.
func sameNumber(a, b *float64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// numberText is a number as JSON has it; nil is null.
func numberText(v *float64) string {
	if v == nil {
		return "null"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// chosenAlgorithms gives the algorithms of a race in their usual order.
func chosenAlgorithms(chosen []string, classes int) ([]string, error) {
	all := api.Algorithms(classes)
	if chosen == nil {
		return all, nil
	}
	if len(chosen) == 0 {
		return nil, api.NewFieldProblem("algorithms", "is empty: leave it out for all of %v", all)
	}
	for i, name := range chosen {
		if !slices.Contains(all, name) {
			return nil, api.NewFieldProblem("algorithms", "%q: for %d classes there are %v", name, classes, all)
		}
		if slices.Contains(chosen[:i], name) {
			return nil, api.NewFieldProblem("algorithms", "%q is there twice", name)
		}
	}
	return slices.DeleteFunc(all, func(name string) bool { return !slices.Contains(chosen, name) }), nil
}

// GetTraining reads a race or one algorithm's run.
func (a *App) GetTraining(ctx context.Context, in *api.TrainingInput) (*api.Training, error) {
	var out api.Training
	err := a.store.Read(ctx, func(t *store.Tx) error {
		r, err := t.GetTraining(ctx, caller(ctx).Account, in.TrainingJobKey)
		if err != nil {
			return err
		}
		s, err := a.standing(ctx, t, r.Race())
		out = s.training(r)
		return err
	})
	if err != nil {
		return nil, missing(err, "training job", in.TrainingJobKey)
	}
	return &out, nil
}

func (a *App) training(ctx context.Context, key string) (r *store.Training, err error) {
	err = a.store.Read(ctx, func(t *store.Tx) error {
		r, err = t.GetTraining(ctx, caller(ctx).Account, key)
		return err
	})
	return r, missing(err, "training job", key)
}

func trainingOut(r *store.Training) api.Training {
	return api.Training{
		TrainingJobKey: r.Key, DatasetKey: r.Dataset, DatasetName: r.DatasetName, Status: r.Status, Outcome: outcome(r),
		ScalingFactor: r.ScalingFactor, TargetPerformance: r.Threshold, ModelKey: r.Model,
		AchievedPerformance: r.Achieved, LogLoss: r.LogLoss, TrainingPerformance: r.Training, TestPerformance: r.Test,
		CreatedOn: api.FormatTime(r.Created), Metric: r.Metric, FailureReason: r.Reason,
		TimeLimitSeconds: r.Seconds,
		StartedOn:        optionalTime(r.Started), FinishedOn: optionalTime(r.Finished),
		ParentTrainingJobKey: r.Parent, Algorithm: r.Algorithm, AlgorithmName: api.AlgorithmWord(r.Algorithm),
	}
}

// outcome says what the status of a race, or of a run, leaves open.
func outcome(r *store.Training) string {
	return api.OutcomeOf(r.Status, r.Threshold, r.ParentStatus == api.TrainingCompleted)
}

func optionalTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return api.FormatTime(t)
}

// ListTrainings reads a page of the caller's training jobs, newest first, each
// race before its runs.
func (a *App) ListTrainings(ctx context.Context, in *api.ListTrainingsInput) (*api.TrainingPage, error) {
	return a.listTrainings(ctx, in.PageInput, store.TrainingQuery{ParentOnly: in.ParentOnly})
}

// ListTrainingsOfDataset does the same for one dataset.
func (a *App) ListTrainingsOfDataset(ctx context.Context, in *api.DatasetPageInput) (*api.TrainingPage, error) {
	if _, err := a.dataset(ctx, in.DatasetKey); err != nil {
		return nil, err
	}
	return a.listTrainings(ctx, in.PageInput, store.TrainingQuery{Dataset: in.DatasetKey})
}

func (a *App) listTrainings(ctx context.Context, in api.PageInput, q store.TrainingQuery) (*api.TrainingPage, error) {
	w, err := window(in)
	if err != nil {
		return nil, err
	}
	q.Account, q.Window = caller(ctx).Account, w
	out := &api.TrainingPage{TrainingJobs: []api.Training{}}
	err = a.store.Read(ctx, func(t *store.Tx) error {
		trainings, total, err := t.ListTrainings(ctx, q)
		if err != nil {
			return err
		}
		stand, err := a.standings(ctx, t, q.Account)
		for _, r := range trainings {
			out.TrainingJobs = append(out.TrainingJobs, stand[r.Race()].training(r))
		}
		out.Page = page(w, total)
		return err
	})
	if err != nil {
		return nil, problem(err)
	}
	return out, nil
}

// GetTrainingProgress reads how far the algorithms of a race have come; of a
// single run, how far that has.
func (a *App) GetTrainingProgress(ctx context.Context, in *api.TrainingProgressInput) (*api.TrainingProgress, error) {
	out := &api.TrainingProgress{Jobs: []api.AlgorithmRun{}}
	err := a.store.Read(ctx, func(t *store.Tx) error {
		r, err := t.GetTraining(ctx, caller(ctx).Account, in.TrainingJobKey)
		if err != nil {
			return err
		}
		runs := []*store.Training{r}
		if r.Parent == "" {
			if runs, err = t.GetChildren(ctx, r.Key); err != nil {
				return err
			}
		}
		s, err := a.standing(ctx, t, r.Race())
		if err != nil {
			return err
		}
		r.Status = s.status(r.Status)
		out.Status, out.Outcome, out.QueuedBehind, out.Interrupted = r.Status, outcome(r), s.before, s.interrupted
		for _, run := range runs {
			run.Status = s.status(run.Status)
			out.Jobs = append(out.Jobs, algorithmRun(run, in.History))
		}
		return nil
	})
	if err != nil {
		return nil, missing(err, "training job", in.TrainingJobKey)
	}
	return out, nil
}

func algorithmRun(r *store.Training, history bool) api.AlgorithmRun {
	recent := r.Curve[max(0, len(r.Curve)-recentScores):]
	out := api.AlgorithmRun{
		TrainingJobKey: r.Key, Algorithm: r.Algorithm, AlgorithmName: api.AlgorithmWord(r.Algorithm), Status: r.Status, Outcome: outcome(r),
		RecentPerformances: append([]float64{}, recent...),
		Steps:              len(r.Curve),
		KeptPerformance:    r.Achieved, LogLoss: r.LogLoss,
	}
	if history {
		out.Performances = r.Curve
	}
	if len(recent) > 0 {
		out.LatestPerformance = recent[len(recent)-1]
	}
	return out
}

// cancelWait is how long CancelTraining waits for a run to keep its model.
const cancelWait = 10 * time.Second

// CancelTraining ends a race. One that is PENDING, because no process works on
// it yet or any more, is CANCELLED at once and without a model. One
// that is RUNNING is when its run has kept the best model so far, which the
// answer waits for; it says RUNNING if that takes unusually long.
func (a *App) CancelTraining(ctx context.Context, in *api.TrainingInput) (*api.Training, error) {
	key, pending := in.TrainingJobKey, false
	err := a.store.Write(ctx, func(t *store.Tx) error {
		r, err := t.GetTraining(ctx, caller(ctx).Account, key)
		if err != nil {
			return err
		}
		if r.Parent != "" {
			return api.NewProblem(api.CodeWrongState,
				"training job %s is one algorithm of a race: cancel the race, training job %s", r.Key, r.Parent)
		}
		s, err := a.standing(ctx, t, key)
		if err != nil {
			return err
		}
		switch s.status(r.Status) {
		case api.TrainingPending:
			pending = true
			return a.cancelPending(ctx, t, r)
		case api.TrainingRunning:
			return t.CancelTraining(ctx, r.Key, api.TrainingRunning)
		}
		return api.NewProblem(api.CodeWrongState, "training job %s is %s: only a PENDING or RUNNING one can be cancelled", r.Key, r.Status)
	})
	if err != nil {
		return nil, missing(err, "training job", key)
	}
	if pending {
		a.finished.add(kindTrain, api.TrainingCancelled)
	}
	a.pool.Cancel(key)
	return a.awaitEnd(ctx, in)
}

// cancelPending ends a race that no living worker has.
func (a *App) cancelPending(ctx context.Context, t *store.Tx, race *store.Training) error {
	if err := t.DropJob(ctx, race.Key); err != nil {
		return err
	}
	children, err := t.GetChildren(ctx, race.Key)
	if err != nil {
		return err
	}
	for _, r := range append(children, race) {
		from := r.Status
		r.Status, r.Finished = api.TrainingCancelled, a.now()
		if err := t.UpdateTraining(ctx, r, from); err != nil {
			return err
		}
	}
	return nil
}

// awaitEnd reads a race when it has ended, or as it is after cancelWait.
func (a *App) awaitEnd(ctx context.Context, in *api.TrainingInput) (*api.Training, error) {
	enough := time.NewTimer(cancelWait)
	defer enough.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		out, err := a.GetTraining(ctx, in)
		if err != nil || out.Status != api.TrainingRunning {
			return out, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-enough.C:
			return out, nil
		case <-tick.C:
		}
	}
}

// DeleteTraining deletes a race that has ended, with its model and predictions.
func (a *App) DeleteTraining(ctx context.Context, in *api.TrainingInput) (*api.None, error) {
	r, err := a.training(ctx, in.TrainingJobKey)
	if err != nil {
		return nil, err
	}
	if r.Parent != "" {
		return nil, api.NewProblem(api.CodeWrongState,
			"training job %s is one algorithm of a race: delete the race, training job %s", r.Key, r.Parent)
	}
	return a.remove(ctx, "training", r.Key, (*store.Tx).DeleteTraining)
}
