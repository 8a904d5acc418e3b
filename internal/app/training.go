package app

import (
	"cmp"
	"context"
	"time"

	"foretell/internal/api"
	"foretell/internal/jobqueue"
	"foretell/internal/store"
)

// maxRecentScores is the maximum number of scores in the progress of a run, unless the client requests
// the whole history. They are the last scores of the run.
const maxRecentScores = 5

// GetTraining returns a race or one algorithm's run.
func (a *App) GetTraining(ctx context.Context, in *api.TrainingInput) (*api.Training, error) {
	var r *store.Training
	s, err := a.queue.ReadWithStatus(ctx, func(t *store.Tx) (subject string, err error) {
		r, err = t.GetTraining(ctx, callerFromContext(ctx).Account, in.TrainingJobKey)
		if err != nil || !raceHasJob(r) {
			return "", err
		}
		return r.RaceKey(), nil
	})
	if err != nil {
		return nil, a.problems.ConvertLookupError(err, "training job", in.TrainingJobKey)
	}
	out := toTraining(r, s)
	return &out, nil
}

func (a *App) findTraining(ctx context.Context, key string) (r *store.Training, err error) {
	err = a.store.ReadOneStatement(ctx, func(t *store.Tx) error {
		r, err = t.GetTraining(ctx, callerFromContext(ctx).Account, key)
		return err
	})
	return r, a.problems.ConvertLookupError(err, "training job", key)
}

// toTraining converts the row of a race, or of one algorithm's run in a race, to a training of the
// API. s is the status of the race's job.
func toTraining(r *store.Training, s jobqueue.Status) api.Training {
	status := s.ReportedStatus(r.Status)
	out := api.Training{
		TrainingJobKey: r.Key, DatasetKey: r.Dataset, DatasetName: r.DatasetName, Status: status, Outcome: trainingOutcome(r, status),
		ScalingFactor: r.ScalingFactor, TargetPerformance: r.Threshold, ModelKey: r.Model,
		AchievedPerformance: r.AchievedPerformance, LogLoss: r.LogLoss, TrainingPerformance: r.TrainingPerformance, TestPerformance: r.TestPerformance,
		CreatedOn: api.FormatTime(r.Created), Metric: r.Metric, FailureReason: r.FailureReason,
		TimeLimitSeconds: r.TimeLimitSeconds, Seed: &r.Seed, GroupColumn: r.GroupColumn, TimeColumn: r.TimeColumn, Effort: r.Effort, ClassWeights: r.ClassWeights, Monotone: r.Monotone,
		StartedOn: formatOptionalTime(r.Started), FinishedOn: formatOptionalTime(r.Finished),
		ParentTrainingJobKey: r.Parent, Algorithm: r.Algorithm, AlgorithmName: api.AlgorithmKind(r.Algorithm),
		QueuedBehind: s.QueuedBefore, Interrupted: s.Interrupted, WaitingFor: s.WaitingFor,
	}
	if s.Interrupted {
		out.Outcome = api.OutcomeInterrupted
	}
	return out
}

// trainingOutcome returns the outcome of a race or of one algorithm's run, as a value of the member
// outcome of the API, such as [api.OutcomeReached]. status is the status that clients see.
func trainingOutcome(training *store.Training, status string) (apiOutcome string) {
	return api.OutcomeFromStatus(status, training.Threshold, training.ParentStatus == api.TrainingCompleted)
}

func formatOptionalTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return api.FormatTime(t)
}

// ListTrainings returns a page of the caller's training jobs, newest first. Each race precedes its
// runs.
func (a *App) ListTrainings(ctx context.Context, in *api.ListTrainingsInput) (*api.TrainingPage, error) {
	return a.listTrainings(ctx, in.PageInput, store.TrainingQuery{ParentOnly: in.ParentOnly, ActiveOnly: in.ActiveOnly})
}

// ListTrainingsOfDataset returns a page of the training jobs of one dataset, newest first. Each
// race precedes its runs.
func (a *App) ListTrainingsOfDataset(ctx context.Context, in *api.ListTrainingsOfDatasetInput) (*api.TrainingPage, error) {
	if err := a.checkDatasetExists(ctx, in.DatasetKey); err != nil {
		return nil, err
	}
	return a.listTrainings(ctx, in.PageInput, store.TrainingQuery{Dataset: in.DatasetKey, ParentOnly: in.ParentOnly})
}

func (a *App) listTrainings(ctx context.Context, in api.PageInput, q store.TrainingQuery) (*api.TrainingPage, error) {
	w, err := parsePage(in)
	if err != nil {
		return nil, err
	}
	q.Account, q.Page = callerFromContext(ctx).Account, w
	var trainings []*store.Training
	var total int64
	statuses, err := a.queue.ReadWithStatuses(ctx, callerFromContext(ctx).Account, func(t *store.Tx) (subjects []string, err error) {
		trainings, total, err = t.ListTrainings(ctx, q)
		return keysWithJob(trainings, raceHasJob, (*store.Training).RaceKey), err
	})
	if err != nil {
		return nil, a.problems.Convert(err)
	}
	out := &api.TrainingPage{TrainingJobs: []api.Training{}, Page: toPage(w, total)}
	for _, r := range trainings {
		out.TrainingJobs = append(out.TrainingJobs, toTraining(r, statuses[r.RaceKey()]))
	}
	return out, nil
}

// raceHasJob reports whether a race has a queued or running job. If r is a run, it reports this
// for the race of the run.
func raceHasJob(r *store.Training) bool {
	status := cmp.Or(r.ParentStatus, r.Status)
	return status == api.TrainingPending || status == api.TrainingRunning
}

// GetTrainingProgress returns the progress of the algorithms of a race, or of a
// single run.
func (a *App) GetTrainingProgress(ctx context.Context, in *api.TrainingProgressInput) (*api.TrainingProgress, error) {
	out := &api.TrainingProgress{Jobs: []api.AlgorithmRun{}}
	err := a.store.Read(ctx, func(t *store.Tx) error {
		r, err := t.GetTraining(ctx, callerFromContext(ctx).Account, in.TrainingJobKey)
		if err != nil {
			return err
		}
		runs := []*store.Training{r}
		if r.Parent == "" {
			if runs, err = t.ListRuns(ctx, r.Key); err != nil {
				return err
			}
		}
		s, err := a.queue.Status(ctx, t, r.RaceKey())
		if err != nil {
			return err
		}
		out.Status = s.ReportedStatus(r.Status)
		out.Outcome = trainingOutcome(r, out.Status)
		out.QueuedBehind, out.Interrupted, out.WaitingFor = s.QueuedBefore, s.Interrupted, s.WaitingFor
		for _, run := range runs {
			out.Jobs = append(out.Jobs, toAlgorithmRun(run, s.ReportedStatus(run.Status), in.History))
		}
		return nil
	})
	if err != nil {
		return nil, a.problems.ConvertLookupError(err, "training job", in.TrainingJobKey)
	}
	return out, nil
}

// toAlgorithmRun converts the row of a run to the API. status is the status that clients see. If history
// is true, the result has all scores of the run.
func toAlgorithmRun(r *store.Training, status string, history bool) api.AlgorithmRun {
	recent := r.Curve[max(0, len(r.Curve)-maxRecentScores):]
	out := api.AlgorithmRun{
		TrainingJobKey: r.Key, Algorithm: r.Algorithm, AlgorithmName: api.AlgorithmKind(r.Algorithm), Status: status, Outcome: trainingOutcome(r, status),
		RecentPerformances: append([]float64{}, recent...),
		Steps:              len(r.Curve),
		KeptPerformance:    r.AchievedPerformance, LogLoss: r.LogLoss,
	}
	if history {
		out.Performances = r.Curve
	}
	if len(recent) > 0 {
		out.LatestPerformance = recent[len(recent)-1]
	}
	return out
}
