package training

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/blob"
	"foretell/internal/job"
	"foretell/internal/jobqueue"
	"foretell/internal/learn"
	"foretell/internal/modelreport"
	"foretell/internal/repeat"
	"foretell/internal/spill"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/table/frame"
)

// raceRows holds the database rows of a running race. Changes to the fields race and runs are
// written to the store when the race ends.
type raceRows struct {
	race    *store.Training
	runs    []*store.Training
	dataset *store.Dataset
	// started is when the race started, and end when it must end because of its deadline, both on
	// the clock of this process. end is zero if the race has no deadline.
	started, end time.Time
	spill        *spill.File // temporary file that holds the model until it is stored
	// distributed is true if parts of the race were queued for other workers.
	distributed bool
}

// Train runs the job of a race: it trains the algorithms and stores the model. If the process of an
// earlier attempt died, the race begins again. If the disk is full, a server's Train returns
// blob.ErrDiskFull without changing the race.
func (tr *Trainer) Train(ctx context.Context, r *job.RunningJob) error {
	if tr.queue.MustWaitForSpace() {
		return blob.ErrDiskFull // the model could not be stored, but another worker may have space
	}
	rows, err := tr.resetAndBeginRace(ctx, r)
	if err != nil {
		return err
	}
	if rows.race.Cancelling {
		return tr.endRace(ctx, r, rows, &learn.Outcome{Status: learn.Cancelled})
	}
	rows.spill = spill.New(tr.tempDir)
	defer tr.closeSpill(ctx, rows.spill)
	f, p, err := tr.prepareInTime(ctx, rows, r.Cancelled())
	switch {
	case errors.Is(err, errTimeLimit):
		return tr.endRace(ctx, r, rows, &learn.Outcome{Status: learn.TimedOut})
	case errors.Is(err, errCancelled):
		return tr.endRace(ctx, r, rows, &learn.Outcome{Status: learn.Cancelled})
	case err != nil:
		return err
	}
	outcome, err := tr.runRace(ctx, r, rows, f, p)
	if err != nil {
		return err
	}
	return tr.endRace(ctx, r, rows, outcome)
}

// runRace trains the algorithms of a race and writes their progress. If isWorthDistributing
// returns true, idle workers train some of the algorithms.
func (tr *Trainer) runRace(ctx context.Context, r *job.RunningJob, rows *raceRows, f *frame.Frame, p learn.Params) (*learn.Outcome, error) {
	parts, err := tr.queueParts(ctx, r, rows)
	if err != nil {
		return nil, err
	}
	rows.distributed = parts != nil
	spans := startRunSpans(ctx, p.Algorithms)
	defer spans.end()
	recorder := newProgressRecorder(rows.runs)
	defer repeat.Every(ctx, jobqueue.ProgressInterval, func() { tr.writeProgress(ctx, &r.Job, recorder) })()
	p.Progress = spans.wrapProgress(func(e learn.Event) {
		if !parts.isRemote(e.Algorithm) { // another worker writes the progress of its own run
			recorder.record(e)
		}
	})
	remote, stopPolling := parts.newRemoteRuns()
	defer stopPolling()
	p.Remote = remote
	return learn.Race(ctx, f, p)
}

// newRaceParams returns the parameters of a race. The caller sets the time limit, and the groups
// and times of the rows. If a stored parameter is invalid, newRaceParams returns an error,
// because a model that was trained without the parameter would be wrong.
func (tr *Trainer) newRaceParams(rows *raceRows) (learn.Params, error) {
	if err := rows.race.DecodeError; err != nil {
		return learn.Params{}, err
	}
	monotone, err := rows.race.Monotone.Signs()
	if err != nil {
		return learn.Params{}, err
	}
	weights, err := weightsByLabel(rows.race, rows.dataset.Classes)
	if err != nil {
		return learn.Params{}, err
	}
	p := learn.Params{
		ScalingFactor: rows.race.ScalingFactor, Buckets: rows.dataset.Buckets,
		Threshold: rows.race.Threshold, Metric: rows.race.Metric, Seed: uint64(rows.race.Seed), Effort: learn.Effort(rows.race.Effort),
		ClassWeights: weights, Monotone: monotone,
		Now: tr.now, Disk: rows.spill,
	}
	for _, run := range rows.runs {
		p.Algorithms = append(p.Algorithms, run.Algorithm)
	}
	return p, nil
}

// closeSpill closes the temporary file of a race. It logs an error instead of returning it.
func (tr *Trainer) closeSpill(ctx context.Context, disk *spill.File) {
	if err := disk.Close(); err != nil {
		tr.log.WarnContext(ctx, "cannot remove a temporary file", "error", err)
	}
}

// resetAndBeginRace makes the race and its runs RUNNING. It also deletes the results of an earlier
// attempt, and the recordings that other workers made during that attempt. Such a recording may be
// incomplete because of the time limit of the attempt.
func (tr *Trainer) resetAndBeginRace(ctx context.Context, r *job.RunningJob) (*raceRows, error) {
	rows := &raceRows{}
	var blobs []string
	err := tr.queue.WriteWithLease(ctx, &r.Job, func(t *store.Tx) (err error) {
		if blobs, err = t.DeletePartsAndJobs(ctx, r.Subject); err != nil {
			return err
		}
		if rows.race, err = t.GetTraining(ctx, r.Account, r.Subject); err != nil {
			return err
		}
		if rows.dataset, err = t.GetDataset(ctx, r.Account, rows.race.Dataset); err != nil {
			return err
		}
		if rows.runs, err = t.ListRuns(ctx, r.Subject); err != nil {
			return err
		}
		if r.Attempt > 1 { // the deadline may have passed because a process died
			rows.race.Deadline = time.Time{}
		}
		rows.started, rows.end = tr.now(), tr.raceDeadline(rows.race)
		for _, row := range append(rows.runs[:len(rows.runs):len(rows.runs)], rows.race) {
			from := row.Status
			row.Status, row.Started, row.Finished = api.TrainingRunning, tr.store.ToSharedTime(rows.started), time.Time{}
			row.Curve, row.AchievedPerformance, row.LogLoss = nil, nil, nil
			if err := t.UpdateTraining(ctx, row, from); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(blobs) > 0 {
		tr.files.Delete(ctx, blobs...)
	}
	return rows, err
}

// loadFrame reads the CSV of a dataset into a frame.
func (tr *Trainer) loadFrame(ctx context.Context, d *store.Dataset) (*frame.Frame, error) {
	schema, err := frame.DecodeStored(d.Schema)
	if err != nil {
		return nil, err
	}
	var f *frame.Frame
	err = tr.files.Read(ctx, storedfile.CSV(d), func(csv io.Reader, _ int64) (err error) {
		f, err = frame.Load(ctx, csv, schema, frame.LoadOptions{Labelled: true, Rows: int(d.Rows)})
		return err
	})
	return f, err
}

// endRace stores the end of the race, with its model if it has one, and ends the job r.
func (tr *Trainer) endRace(ctx context.Context, r *job.RunningJob, rows *raceRows, outcome *learn.Outcome) error {
	m, err := tr.storeModel(ctx, r.Cancelled(), rows, outcome)
	if errors.Is(err, errStoringCancelled) {
		withoutModel := *outcome
		withoutModel.Status, withoutModel.Model = learn.Cancelled, nil
		outcome, err = &withoutModel, nil
	}
	if err != nil {
		return err
	}
	now := tr.sharedNow()
	runs := map[string]learn.Run{}
	for _, run := range outcome.Runs {
		runs[run.Algorithm] = run
	}
	rows.race.Status, rows.race.Finished, rows.race.Cancelling = string(outcome.Status), now, false
	tr.logRunFailures(ctx, rows, outcome)
	rows.race.FailureReason = tr.raceFailureReason(rows.race, outcome)
	setRaceScores(rows.race, m, outcome)
	err = tr.queue.Finish(ctx, &r.Job, rows.race.Status, func(t *store.Tx) error {
		for _, child := range rows.runs {
			stored, err := t.GetTraining(ctx, child.Account, child.Key)
			if err != nil {
				return err
			}
			child.Finished = now
			if !stored.Finished.IsZero() {
				child.Finished = stored.Finished
			}
			tr.setRunResult(child, runs[child.Algorithm], outcome)
			if err := t.UpdateTraining(ctx, child, stored.Status); err != nil {
				return err
			}
		}
		if err := t.DeletePartJobs(ctx, rows.race.Key); err != nil {
			return err
		}
		if err := t.UpdateTraining(ctx, rows.race, api.TrainingRunning); err != nil || m == nil {
			return err
		}
		return t.InsertModel(ctx, m)
	})
	if err != nil && m != nil {
		tr.files.DeleteUncommitted(ctx, err, m.Blob)
	}
	if err == nil && rows.distributed {
		tr.DeletePartsOfEndedRaces(ctx)
	}
	return err
}

// setRaceScores copies the scores of the model m to the database row of its race. If m is nil, the
// race has no scores.
func setRaceScores(race *store.Training, m *store.Model, outcome *learn.Outcome) {
	if m == nil {
		return
	}
	if race.AchievedPerformance = m.AchievedPerformance; m.AchievedPerformance != nil {
		race.LogLoss = api.NumberOrNil(outcome.Report.Validation.LogLoss)
	}
	race.TrainingPerformance, race.TestPerformance = performanceOrNil(outcome.Training, outcome.Report.TrainingRows), performanceOrNil(outcome.Test, outcome.Report.TestRows)
}

// setRunResult copies the result of one run to its database row. A run that never began gets the
// status of the race.
func (tr *Trainer) setRunResult(row *store.Training, run learn.Run, outcome *learn.Outcome) {
	row.Status, row.Curve, row.AchievedPerformance, row.LogLoss = string(run.Status), run.Curve, nil, nil
	if run.Status == "" {
		row.Status = string(outcome.Status)
	}
	if validated := outcome.Model == nil || outcome.Report.ValidationRows > 0; validated && (len(run.Curve) > 0 || run.LogLoss > 0) {
		row.AchievedPerformance, row.LogLoss = api.NumberOrNil(run.Performance), api.NumberOrNil(run.LogLoss)
	}
	if run.Err != nil {
		row.FailureReason = tr.runFailureReason(run.Err)
	}
	if outcome.Model != nil && run.Algorithm == outcome.Algorithm {
		row.TrainingPerformance, row.TestPerformance = performanceOrNil(run.TrainingPerformance, outcome.Report.TrainingRows), performanceOrNil(run.TestPerformance, outcome.Report.TestRows)
	}
}

// performanceOrNil returns a pointer to performance, the score on the given number of rows, or nil
// if rows is 0.
func performanceOrNil(performance float64, rows int) *float64 {
	if rows == 0 {
		return nil
	}
	return api.NumberOrNil(performance)
}

// storeModel stores the model of a race as a blob, and returns the row to insert.
// It returns nil if the race has no model. cancelled is described at [Trainer.storeFile].
func (tr *Trainer) storeModel(ctx context.Context, cancelled <-chan struct{}, rows *raceRows, outcome *learn.Outcome) (*store.Model, error) {
	if outcome.Model == nil {
		return nil, nil
	}
	key, err := auth.NewUUID(tr.rand)
	if err != nil {
		return nil, err
	}
	report := modelreport.New(key, rows.race, outcome)
	encoded, summary, err := modelreport.Encode(report)
	if err != nil {
		return nil, err
	}
	write := func(w io.Writer) error {
		_, err := outcome.Model.WriteTo(w)
		return err
	}
	info, err := tr.storeFile(ctx, cancelled, false, write)
	if errors.Is(err, blob.ErrDiskFull) && rows.spill.LoadIntoMemory() == nil { // the spilled data may have filled the disk
		info, err = tr.storeFile(ctx, cancelled, !tr.queue.OwnJobsOnly(), write)
	}
	if err != nil {
		return nil, err
	}
	var achieved *float64
	if _, known := report.Validation.Value(report.Metric); known {
		achieved = &outcome.Achieved
	}
	return &store.Model{
		Key: key, Account: rows.race.Account, Dataset: rows.race.Dataset, Training: rows.race.Key,
		Algorithm: outcome.Algorithm, AchievedPerformance: achieved, File: storedfile.FromInfo(info), Report: encoded, Summary: summary, Created: tr.sharedNow(),
		ValidationInterval: report.Validation.PerformanceInterval(report.Metric), TestInterval: report.Test.PerformanceInterval(report.Metric),
	}, nil
}

const (
	// storeRetryInterval is the time between attempts to store a file.
	storeRetryInterval = 2 * time.Second
	// cancelledStoreTimeout is how long storeFile tries to store a file after the job was cancelled.
	cancelledStoreTimeout = 10 * time.Second
)

// errStoringCancelled is returned if the job was cancelled while its file could not be stored.
var errStoringCancelled = errors.New("the job was cancelled while its file could not be stored")

// storeFile stores what write writes as a blob. It tries again while the S3 store is unavailable,
// because the training would otherwise have to be repeated. If awaitSpace is true, it also tries
// again while the disk is full. When cancelled is closed, it tries for cancelledStoreTimeout longer
// and then returns an error that wraps errStoringCancelled and the reason.
func (tr *Trainer) storeFile(ctx context.Context, cancelled <-chan struct{}, awaitSpace bool, write func(io.Writer) error) (blob.Info, error) {
	var timeout <-chan time.Time
	for {
		info, err := tr.tryStoreFile(ctx, write)
		if !errors.Is(err, blob.ErrUnavailable) && (!awaitSpace || !errors.Is(err, blob.ErrDiskFull)) {
			return info, err
		}
		tr.log.WarnContext(ctx, "cannot store the result of a training; trying again", "error", err)
		for retry := time.After(storeRetryInterval); retry != nil; {
			select {
			case <-ctx.Done():
				return info, err
			case <-timeout:
				return info, fmt.Errorf("%w: %w", errStoringCancelled, err)
			case <-cancelled:
				cancelled, timeout = nil, time.After(cancelledStoreTimeout)
			case <-retry:
				retry = nil
			}
		}
	}
}

func (tr *Trainer) tryStoreFile(ctx context.Context, write func(io.Writer) error) (blob.Info, error) {
	file, err := tr.files.Create(ctx)
	if err != nil {
		return blob.Info{}, err
	}
	defer file.Abort()
	if err := write(file); err != nil {
		return blob.Info{}, err
	}
	return file.Commit()
}

// weightsByLabel returns the weight of each class of a race by its label, or nil if all weights are
// equal. CreateTraining has checked the weights, so an error means that the stored ones are damaged.
func weightsByLabel(race *store.Training, classes []api.Class) (map[string]float64, error) {
	weights, err := race.ClassWeights.Resolve(classes)
	if err != nil {
		return nil, fmt.Errorf("class_weights of training job %s: %w", race.Key, err)
	}
	if weights == nil {
		return nil, nil
	}
	byLabel := make(map[string]float64, len(classes))
	for i, class := range classes {
		byLabel[class.Label] = weights[i]
	}
	return byLabel, nil
}
