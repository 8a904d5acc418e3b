package app

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/humanize"
	"foretell/internal/jobqueue"
	"foretell/internal/learn"
	"foretell/internal/learn/metric"
	"foretell/internal/quota"
	"foretell/internal/store"
	"foretell/internal/table/frame"
	"foretell/internal/worker/training"
)

// defaultSeed is the seed of a race whose request has no seed. It is constant, so that training
// jobs with the same parameters are reproducible.
const defaultSeed = 1

// CreateTraining queues a race on a COMPLETED dataset.
func (a *App) CreateTraining(ctx context.Context, in *api.CreateTrainingInput) (*api.CreatedTraining, error) {
	race, err := newTraining(in.Body)
	if err != nil {
		return nil, err
	}
	d, err := a.findDataset(ctx, in.DatasetKey)
	if err != nil {
		return nil, err
	}
	if d.Status != api.DatasetCompleted {
		return nil, api.NewProblem(api.CodeWrongState, "dataset %s is %s: %s", d.Key, d.Status, untrainableHints[d.Status])
	}
	algorithms, err := selectAlgorithms(in.Body, len(d.Classes))
	if err != nil {
		return nil, err
	}
	schema, err := decodeSchema(d)
	if err != nil {
		return nil, err
	}
	if err := checkClassesAndColumns(race, in.Body, d, schema); err != nil {
		return nil, err
	}
	if race.Key, err = a.newUUID(); err != nil {
		return nil, err
	}
	race.Account, race.Dataset, race.Status, race.Created = d.Account, d.Key, api.TrainingPending, a.sharedNow()
	if s := in.Body.FinishWithinSeconds; s != nil {
		race.Deadline = race.Created.Add(time.Duration(*s * float64(time.Second)))
	}
	runs, err := a.newRuns(race, algorithms)
	if err != nil {
		return nil, err
	}
	if err := a.insertRace(ctx, race, runs, training.EstimateMemory(d, schema, algorithms)); err != nil {
		return nil, a.problems.ConvertLookupError(err, "dataset", d.Key)
	}
	a.queue.Notify(jobqueue.Train)
	return &api.CreatedTraining{
		TrainingJobKey: race.Key, DatasetKey: d.Key, Status: race.Status,
		TrainingJobProgressURL: absoluteURL(ctx, api.PathOf(api.GetTrainingProgress.Operation, race.Key)),
	}, nil
}

// insertRace inserts a race with its runs, and queues its job. memory is the estimated memory of the
// race in bytes.
func (a *App) insertRace(ctx context.Context, race *store.Training, runs []*store.Training, memory int64) error {
	return a.store.Write(ctx, func(t *store.Tx) error {
		// The size of the model is not known yet, so a race only needs a quota of bytes that is not
		// used up.
		if err := quota.Check(ctx, t, race.Account, store.Usage{Races: 1, Bytes: 1}); err != nil {
			return err
		}
		for _, row := range append([]*store.Training{race}, runs...) {
			if err := t.InsertTraining(ctx, row); err != nil {
				return err
			}
		}
		return a.queue.Insert(ctx, t, &store.Job{Account: race.Account, Kind: jobqueue.Train, Subject: race.Key, Memory: memory})
	})
}

// checkClassesAndColumns returns an error if a request names a class or a column that the dataset does
// not have, or that cannot be used in this way.
func checkClassesAndColumns(race *store.Training, n api.NewTraining, d *store.Dataset, schema *frame.Schema) error {
	if err := metric.CheckName(race.Metric, classLabels(d)); err != nil {
		return api.NewFieldProblem("metric", "%s", err)
	}
	if _, err := n.ClassWeights.Resolve(d.Classes); err != nil {
		return api.NewFieldProblem("classWeights", "%s", err)
	}
	if err := checkSplitColumns(n, schema); err != nil {
		return err
	}
	return checkMonotone(n, d, schema)
}

// newRuns returns the database rows of a race's runs, one for each algorithm.
func (a *App) newRuns(race *store.Training, algorithms []string) ([]*store.Training, error) {
	runs := make([]*store.Training, len(algorithms))
	for i, algorithm := range algorithms {
		key, err := a.newUUID()
		if err != nil {
			return nil, err
		}
		run := *race
		run.Key, run.Parent, run.Position, run.Algorithm = key, race.Key, i+1, algorithm
		runs[i] = &run
	}
	return runs, nil
}

// untrainableHints has a message for each state in which a dataset cannot be used for training. The
// message says what to do first.
var untrainableHints = map[string]string{
	api.DatasetPending:    "it has no CSV yet; train when it is COMPLETED",
	api.DatasetProcessing: "train when it is COMPLETED",
	api.DatasetFailed:     "repair the CSV (see failureReason) and create another dataset with it",
}

// newTraining validates the parameters of a race and fills in the defaults.
func newTraining(n api.NewTraining) (*store.Training, error) {
	if n.ScalingFactor < 0 || n.ScalingFactor > api.MaxScalingFactor {
		return nil, api.NewFieldProblem("scalingFactor", "%d: must be between 0 and %d", n.ScalingFactor, api.MaxScalingFactor)
	}
	value, err := parseThreshold(n)
	if err != nil {
		return nil, err
	}
	r := &store.Training{
		ScalingFactor: n.ScalingFactor, Threshold: value, Metric: api.MetricAccuracy,
		TimeLimitSeconds: api.DefaultTimeLimitSeconds, Seed: defaultSeed, GroupColumn: n.GroupColumn, TimeColumn: n.TimeColumn, ClassWeights: n.ClassWeights, Monotone: n.Monotone,
	}
	switch n.Effort {
	case "", api.EffortDefault:
	case api.EffortFast, api.EffortBest:
		r.Effort = n.Effort
	default:
		return nil, api.NewFieldProblem("effort", "%q: must be %s", n.Effort, humanize.JoinOr(api.Efforts()))
	}
	if n.Metric != "" {
		if err := metric.CheckName(n.Metric, nil); err != nil {
			return nil, api.NewFieldProblem("metric", "%s", err)
		}
		r.Metric = n.Metric
	}
	if s := n.TimeLimitSeconds; s != nil {
		if *s < 1 || *s > api.MaxTimeLimitSeconds {
			return nil, api.NewFieldProblem("timeLimitSeconds", "%d: must be between 1 and %d", *s, api.MaxTimeLimitSeconds)
		}
		r.TimeLimitSeconds = *s
	}
	if s := n.FinishWithinSeconds; s != nil && !(*s > 0 && *s <= api.MaxTimeLimitSeconds) {
		return nil, api.NewFieldProblem("finishWithinSeconds", "%v: must be above 0 and at most %d", *s, api.MaxTimeLimitSeconds)
	}
	if n.Seed != nil {
		if *n.Seed < 0 {
			return nil, api.NewFieldProblem("seed", "%d: must be at least 0", *n.Seed)
		}
		r.Seed = *n.Seed
	}
	return r, nil
}

// parseThreshold returns the threshold of a request, from performanceThreshold or
// targetPerformance. It returns nil for a race without a threshold.
func parseThreshold(n api.NewTraining) (*float64, error) {
	name, chosen := "performanceThreshold", n.PerformanceThreshold
	if !chosen.IsSet {
		name, chosen = "targetPerformance", n.TargetPerformance
	}
	other := n.TargetPerformance
	switch {
	case !chosen.IsSet:
		return nil, api.NewFieldProblem("performanceThreshold", "is required: a number between 0 and 1, or null for no threshold")
	case !api.ValidThreshold(chosen.Value):
		return nil, api.NewFieldProblem(name, "%v: must be between 0 and 1", *chosen.Value)
	case other.IsSet && !equalNumbers(other.Value, chosen.Value):
		return nil, api.NewFieldProblem("targetPerformance",
			"%s, but performanceThreshold is %s: both names mean the same parameter, send one", formatNumberOrNull(other.Value), formatNumberOrNull(chosen.Value))
	}
	return chosen.Value, nil
}

// equalNumbers reports whether a and b are both nil or point to equal numbers.
func equalNumbers(a, b *float64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// formatNumberOrNull formats a number as JSON. If number is nil, it returns null.
func formatNumberOrNull(number *float64) string {
	if number == nil {
		return "null"
	}
	return strconv.FormatFloat(*number, 'g', -1, 64)
}

// selectAlgorithms returns the algorithms that a request selects by name or, without names, by its
// effort, in canonical order. Each algorithm is either for two classes or for more; classCount is
// the number of classes of the dataset. If the request has monotone columns, an effort selects only
// algorithms that support them.
func selectAlgorithms(n api.NewTraining, classCount int) (algorithms []string, err error) {
	all, chosen := api.Algorithms(classCount), n.Algorithms
	excluded := func(name string) bool { return len(n.Monotone) > 0 && !api.SupportsMonotone(name) }
	if chosen == nil {
		return slices.DeleteFunc(all, func(name string) bool { return !learn.Effort(n.Effort).Includes(name) || excluded(name) }), nil
	}
	if len(chosen) == 0 {
		return nil, api.NewFieldProblem("algorithms", "must not be empty: omit the field to select all of %s", strings.Join(all, ", "))
	}
	for i, name := range chosen {
		if !slices.Contains(all, name) {
			return nil, api.NewFieldProblem("algorithms", "%q: must be one of %[3]s for %[2]d classes", name, classCount, strings.Join(all, ", "))
		}
		if excluded(name) {
			return nil, api.NewFieldProblem("algorithms", "%q does not support monotone columns: omit the algorithm or the field monotone", name)
		}
		if slices.Contains(chosen[:i], name) {
			return nil, api.NewFieldProblem("algorithms", "%q is repeated", name)
		}
	}
	return slices.DeleteFunc(all, func(name string) bool { return !slices.Contains(chosen, name) }), nil
}

// classLabels returns the labels of a dataset's classes.
func classLabels(d *store.Dataset) []string {
	labels := []string{} // non-nil, because nil would allow every class
	for _, class := range d.Classes {
		labels = append(labels, class.Label)
	}
	return labels
}
