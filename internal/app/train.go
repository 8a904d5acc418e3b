package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/job"
	"foretell/internal/learn"
	"foretell/internal/spill"
	"foretell/internal/store"
	"foretell/internal/table/frame"
)

// raceRows is a running race: its rows as they will be written next.
type raceRows struct {
	race     *store.Training
	children []*store.Training
	dataset  *store.Dataset
	disk     *spill.File // holds the model until it is stored
}

// train runs a race and stores its model. A race whose process died is
// restarted.
func (a *App) train(ctx context.Context, r *job.Run) error {
	c, err := a.beginRace(ctx, r)
	if err != nil {
		return err
	}
	if c.race.Cancelling {
		return a.endRace(ctx, &r.Job, c, &learn.Outcome{Status: learn.Cancelled})
	}
	f, err := a.loadInTime(ctx, c)
	if errors.Is(err, errTimeLimit) {
		return a.endRace(ctx, &r.Job, c, &learn.Outcome{Status: learn.TimedOut})
	}
	if err != nil {
		return err
	}
	c.disk = spill.New(a.scratch)
	defer a.closeSpill(ctx, c.disk)
	board := newProgressRecorder(c.children)
	stopPosting := runEvery(ctx, progressInterval, func() { a.writeProgress(ctx, &r.Job, board) })
	outcome, err := learn.Race(ctx, f, learn.Params{
		Algorithms: board.algorithms(), ScalingFactor: c.race.ScalingFactor, Buckets: c.dataset.Buckets,
		Threshold: c.race.Threshold, Metric: c.race.Metric, Seed: uint64(c.race.Seed),
		TimeLimit: a.timeLeft(c), Now: a.now, Stop: r.Cancelled(), Progress: board.record, Disk: c.disk,
	})
	stopPosting()
	if err != nil {
		return err
	}
	return a.endRace(ctx, &r.Job, c, outcome)
}

// closeSpill closes the disk of a race.
func (a *App) closeSpill(ctx context.Context, disk *spill.File) {
	if err := disk.Close(); err != nil {
		a.log.WarnContext(ctx, "removing a temporary file", "error", err)
	}
}

// beginRace makes the race and its children RUNNING and resets the results of
// an earlier attempt.
func (a *App) beginRace(ctx context.Context, r *job.Run) (*raceRows, error) {
	c := &raceRows{}
	err := a.writeLeased(ctx, &r.Job, func(t *store.Tx) (err error) {
		if c.race, err = t.GetTraining(ctx, r.Account, r.Subject); err != nil {
			return err
		}
		if c.dataset, err = t.GetDataset(ctx, r.Account, c.race.Dataset); err != nil {
			return err
		}
		if c.children, err = t.ListRuns(ctx, r.Subject); err != nil {
			return err
		}
		if r.Attempt > 1 { // the deadline may have passed because a process died
			c.race.Deadline = time.Time{}
		}
		for _, row := range append(c.children[:len(c.children):len(c.children)], c.race) {
			from := row.Status
			row.Status, row.Started, row.Finished = api.TrainingRunning, a.now(), time.Time{}
			row.Curve, row.AchievedPerformance, row.LogLoss = nil, nil, nil
			if err := t.UpdateTraining(ctx, row, from); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

func (a *App) loadFrame(ctx context.Context, d *store.Dataset) (*frame.Frame, error) {
	var schema frame.Schema
	if err := json.Unmarshal(d.Schema, &schema); err != nil {
		return nil, err
	}
	var f *frame.Frame
	err := a.readVerified(ctx, csvFile(d), func(csv io.Reader, _ int64) (err error) {
		f, err = frame.Load(ctx, csv, &schema, frame.LoadOptions{Labelled: true, Rows: int(d.Rows)})
		return err
	})
	return f, err
}

// endRace commits the end of the race, with its model if there is one.
func (a *App) endRace(ctx context.Context, j *job.Job, c *raceRows, o *learn.Outcome) error {
	m, err := a.storeModel(ctx, c, o)
	if err != nil {
		return err
	}
	now := a.now()
	runs := map[string]learn.Run{}
	for _, run := range o.Runs {
		runs[run.Algorithm] = run
	}
	c.race.Status, c.race.Finished, c.race.Cancelling = string(o.Status), now, false
	c.race.FailureReason = raceReason(c.race, o)
	if m != nil {
		if c.race.AchievedPerformance = m.AchievedPerformance; m.AchievedPerformance != nil {
			c.race.LogLoss = finiteOrNil(o.Report.Validation.LogLoss)
		}
		c.race.TrainingPerformance, c.race.TestPerformance = measured(o.Training, o.Report.TrainingRows), measured(o.Test, o.Report.TestRows)
	}
	err = a.finishJob(ctx, j, c.race.Status, func(t *store.Tx) error {
		for _, child := range c.children {
			posted, err := t.GetTraining(ctx, child.Account, child.Key)
			if err != nil {
				return err
			}
			child.Finished = now
			if !posted.Finished.IsZero() {
				child.Finished = posted.Finished
			}
			endRun(child, runs[child.Algorithm], o)
			if err := t.UpdateTraining(ctx, child, posted.Status); err != nil {
				return err
			}
		}
		if err := t.UpdateTraining(ctx, c.race, api.TrainingRunning); err != nil || m == nil {
			return err
		}
		return t.InsertModel(ctx, m)
	})
	if err != nil && m != nil {
		a.deleteBlobs(ctx, m.Blob)
	}
	return err
}

// endRun sets the result of one algorithm; its status is the race's if it never
// began.
func endRun(child *store.Training, run learn.Run, o *learn.Outcome) {
	child.Status, child.Curve, child.AchievedPerformance, child.LogLoss = string(run.Status), run.Curve, nil, nil
	if run.Status == "" {
		child.Status = string(o.Status)
	}
	if validated := o.Model == nil || o.Report.ValidationRows > 0; validated && len(run.Curve) > 0 {
		child.AchievedPerformance, child.LogLoss = finiteOrNil(run.Performance), finiteOrNil(run.LogLoss)
	}
	if run.Err != nil {
		child.FailureReason = run.Err.Error()
	}
	if o.Model != nil && run.Algorithm == o.Algorithm {
		child.TrainingPerformance, child.TestPerformance = measured(run.TrainingPerformance, o.Report.TrainingRows), measured(run.TestPerformance, o.Report.TestRows)
	}
}

// measured returns a performance that was measured on that many rows; nil for 0
// rows, which is not measured.
func measured(performance float64, rows int) *float64 {
	if rows == 0 {
		return nil
	}
	return finiteOrNil(performance)
}

// raceReason returns why a race has no model; "" if it has one.
func raceReason(race *store.Training, o *learn.Outcome) string {
	if o.Model != nil {
		return ""
	}
	switch o.Status {
	case learn.TimedOut:
		return fmt.Sprintf("the time limit of %s ended before any algorithm had trained a model: increase it", timeLimitOf(race))
	case learn.Cancelled:
		return "cancelled before any algorithm had trained a model"
	}
	var reasons []string
	for _, run := range o.Runs {
		if run.Err != nil {
			reasons = append(reasons, run.Algorithm+": "+run.Err.Error())
		}
	}
	return "every algorithm failed: " + strings.Join(reasons, "; ")
}

// storeModel stores the model of a race as a blob and returns the row to insert;
// nil if the race has no model.
func (a *App) storeModel(ctx context.Context, c *raceRows, o *learn.Outcome) (*store.Model, error) {
	if o.Model == nil {
		return nil, nil
	}
	key, err := a.newKey()
	if err != nil {
		return nil, err
	}
	figures := toReport(key, c.race, o)
	report, err := json.Marshal(figures)
	if err != nil {
		return nil, err
	}
	info, err := a.writeModel(ctx, o.Model)
	if errors.Is(err, blob.ErrDiskFull) && c.disk.LoadIntoMemory() == nil { // the spilled data may have filled the disk
		info, err = a.writeModel(ctx, o.Model)
	}
	if err != nil {
		return nil, err
	}
	var achieved *float64
	if _, known := figures.Validation.Value(figures.Metric); known {
		achieved = &o.Achieved
	}
	return &store.Model{
		Key: key, Account: c.race.Account, Dataset: c.race.Dataset, Training: c.race.Key,
		Algorithm: o.Algorithm, AchievedPerformance: achieved, File: storedFile(info), Report: report, Created: a.now(),
		ValidationInterval: formatInterval(figures.Validation, figures.Metric), TestInterval: formatInterval(figures.Test, figures.Metric),
	}, nil
}

func (a *App) writeModel(ctx context.Context, m *learn.Model) (blob.Info, error) {
	file, err := a.blobs.Create(ctx)
	if err != nil {
		return blob.Info{}, err
	}
	defer file.Abort()
	if _, err := m.WriteTo(file); err != nil {
		return blob.Info{}, err
	}
	return file.Commit()
}

// failTraining commits that the race failed.
func (a *App) failTraining(ctx context.Context, j *job.Job, cause error) error {
	now := a.now()
	return a.finishJob(ctx, j, api.TrainingFailed, func(t *store.Tx) error {
		race, err := t.GetTraining(ctx, j.Account, j.Subject)
		if err != nil {
			return err
		}
		children, err := t.ListRuns(ctx, j.Subject)
		if err != nil {
			return err
		}
		for _, row := range append(children, race) {
			from := row.Status
			row.Status, row.FailureReason, row.Finished, row.Cancelling = api.TrainingFailed, a.failureReason(cause), now, false
			if err := t.UpdateTraining(ctx, row, from); err != nil {
				return err
			}
		}
		return nil
	})
}
