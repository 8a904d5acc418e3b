package training

import (
	"context"
	"errors"
	"io"
	"time"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/job"
	"foretell/internal/jobqueue"
	"foretell/internal/learn"
	"foretell/internal/learn/parallel"
	"foretell/internal/repeat"
	"foretell/internal/spill"
	"foretell/internal/store"
	"foretell/internal/storedfile"
)

// partTimeFraction is the fraction of a race's remaining time in which another worker may train an
// algorithm. In the rest of the time, it sends the recording to the worker of the race.
const partTimeFraction = 0.9

// TrainPart runs the job of a part: it trains one algorithm of a race, and stores a recording of
// the training for the worker of the race. If the disk is full, it returns blob.ErrDiskFull before it
// trains.
func (tr *Trainer) TrainPart(ctx context.Context, r *job.RunningJob) error {
	rows, run, err := tr.readPartRows(ctx, r)
	if err != nil {
		return err
	}
	if rows.race.Status != api.TrainingRunning { // no worker would use the recording
		return tr.queue.Finish(ctx, &r.Job, rows.race.Status, func(*store.Tx) error { return nil })
	}
	if tr.queue.MustWaitForSpace() {
		return blob.ErrDiskFull // the recording could not be stored; meanwhile the worker of the race takes the run back
	}
	rows.spill = spill.New(tr.tempDir)
	defer tr.closeSpill(ctx, rows.spill)
	recorder := newProgressRecorder([]*store.Training{run})
	wins := make(chan learn.ThresholdReached)
	f, p, err := tr.prepare(ctx, rows)
	if err != nil {
		return err
	}
	p.TimeLimit = max(time.Duration(float64(p.TimeLimit)*partTimeFraction), time.Second)
	p.Stop = r.Cancelled()
	p.Remote = &learn.RemoteRuns{ReachedElsewhere: wins, ReportReached: tr.newThresholdReporter(ctx, &r.Job, map[string]string{run.Algorithm: run.Key})}
	p.Progress = func(e learn.Event) {
		e.Status = learn.Running // the worker of the race decides how the run ends
		recorder.record(e)
	}
	recording := rows.spill.NewStream() // not a blob, so that storing it can be repeated during an outage of the S3 store
	stopRecording := repeat.Every(ctx, jobqueue.ProgressInterval, func() { tr.writeProgress(ctx, &r.Job, recorder) })
	stopPolling := tr.pollThresholdRuns(ctx, rows.race.Key, wins)
	err = learn.TrainAndRecordRun(ctx, f, p, run.Algorithm, recording)
	stopPolling() // before storeFile, which may take long: the run has ended
	stopRecording()
	if errors.Is(err, parallel.ErrPanic) { // the worker of the race trains the algorithm itself
		tr.logRunFailure(ctx, rows, run.Algorithm, err)
	}
	if err != nil {
		return err
	}
	info, err := tr.storeFile(ctx, r.Cancelled(), false, func(w io.Writer) error {
		_, err := io.Copy(w, recording.Reader(recording.Len()))
		return err
	})
	if err != nil {
		return err
	}
	return tr.storeRecordingAndEndPart(ctx, &r.Job, info)
}

// readPartRows reads the rows of the race of a part, and the row of the run to train.
func (tr *Trainer) readPartRows(ctx context.Context, r *job.RunningJob) (rows *raceRows, run *store.Training, err error) {
	rows = &raceRows{started: tr.now()}
	err = tr.store.Read(ctx, func(t *store.Tx) error {
		if run, err = t.GetTraining(ctx, r.Account, r.Subject); err != nil {
			return err
		}
		if rows.race, err = t.GetTraining(ctx, r.Account, run.Parent); err != nil {
			return err
		}
		if rows.dataset, err = t.GetDataset(ctx, r.Account, rows.race.Dataset); err != nil {
			return err
		}
		rows.runs, err = t.ListRuns(ctx, run.Parent)
		return err
	})
	if err == nil && !run.Deadline.IsZero() { // the stored time may be from the clock of another machine
		rows.end = rows.started.Add(run.Deadline.Sub(tr.store.ToSharedTime(rows.started)))
	}
	if errors.Is(err, store.ErrNotFound) { // deleted since the claim
		err = job.ErrLeaseLost
	}
	return rows, run, err
}

// storeRecordingAndEndPart stores a reference to the recording of a run, and deletes the
// job of the part.
func (tr *Trainer) storeRecordingAndEndPart(ctx context.Context, j *job.Job, info blob.Info) error {
	err := tr.queue.Finish(ctx, j, api.TrainingCompleted, func(t *store.Tx) error {
		return t.UpsertRecording(ctx, j.Subject, storedfile.FromInfo(info))
	})
	if err != nil {
		tr.files.DeleteUncommitted(ctx, err, info.Key)
	}
	return err
}

// FailPart ends the failed job of a part. The worker of the race then trains the run itself.
func (tr *Trainer) FailPart(ctx context.Context, j *job.Job, _ error) error {
	return tr.queue.Finish(ctx, j, api.TrainingFailed, func(*store.Tx) error { return nil })
}
