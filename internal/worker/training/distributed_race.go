package training

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/job"
	"foretell/internal/jobqueue"
	"foretell/internal/learn"
	"foretell/internal/repeat"
	"foretell/internal/span"
	"foretell/internal/store"
	"foretell/internal/table/frame"
)

const (
	// defaultMinDistributedCells is the default of [Config.MinDistributedCells]. For a smaller
	// dataset, a second worker would save less time than it needs to read the dataset.
	defaultMinDistributedCells = 200_000
	// minDistributedTimeLeft is the minimum remaining time of a race that is distributed over
	// several workers.
	minDistributedTimeLeft = 30 * time.Second
	// partPollInterval is the interval at which the worker of a race looks for the recordings of
	// its parts.
	partPollInterval = 500 * time.Millisecond
	// defaultPartClaimTimeout is the default of [Config.PartClaimTimeout]. It is longer than the
	// interval at which idle workers look for jobs that no notification has announced.
	defaultPartClaimTimeout = 7 * time.Second
	// partStopTimeout is how long a race that ends early waits for the recordings of its parts.
	partStopTimeout = 3 * time.Second
)

// distributedRace is the state of a race in which other workers train some of the algorithms. Such
// an algorithm is called a part. Its worker records the training in a file, from which the worker
// of the race repeats it.
type distributedRace struct {
	trainer *Trainer
	job     *job.Job
	runKeys map[string]string // keys of all runs of the race, by algorithm
	// jobCtx is the context of the race's job. The contexts that package learn passes end earlier, with
	// the race.
	jobCtx           context.Context
	reachedElsewhere chan learn.ThresholdReached

	mu               sync.Mutex
	remoteAlgorithms []string // algorithms that other workers train
}

// queueParts queues the training of some algorithms of a race for idle workers. It returns nil if
// it queued none; see distributedRace.
func (tr *Trainer) queueParts(ctx context.Context, r *job.RunningJob, rows *raceRows) (*distributedRace, error) {
	if !tr.DistributesRaces() || len(rows.runs) < 2 || !tr.isWorthDistributing(rows) {
		return nil, nil
	}
	schema, err := frame.DecodeStored(rows.dataset.Schema)
	if err != nil {
		return nil, err
	}
	s := &distributedRace{trainer: tr, job: &r.Job, jobCtx: ctx, runKeys: map[string]string{}, reachedElsewhere: make(chan learn.ThresholdReached)}
	for _, run := range rows.runs {
		s.runKeys[run.Algorithm] = run.Key
	}
	err = tr.queue.WriteWithLease(ctx, s.job, func(t *store.Tx) (err error) {
		s.remoteAlgorithms = nil // the transaction may be run again
		end := tr.sharedNow().Add(tr.raceTimeLeft(rows))
		idle, err := tr.listIdleWorkers(ctx, t)
		if err != nil {
			return err
		}
		for _, run := range rows.runs[1:] { // this worker trains the first algorithm, and those that are no parts
			memory := EstimateMemory(rows.dataset, schema, []string{run.Algorithm})
			fits := slices.IndexFunc(idle, func(w *store.Worker) bool { return w.Memory == 0 || w.Memory >= memory })
			if fits < 0 {
				continue
			}
			idle = slices.Delete(idle, fits, fits+1)
			if err := tr.queue.Insert(ctx, t, &store.Job{Account: run.Account, Kind: jobqueue.Part, Subject: run.Key, Memory: memory}); err != nil {
				return err
			}
			run.Deadline = end // the end of the race, as a shared time, because the other worker may have another clock
			if err := t.UpdateTraining(ctx, run, api.TrainingRunning); err != nil {
				return err
			}
			s.remoteAlgorithms = append(s.remoteAlgorithms, run.Algorithm)
		}
		return nil
	})
	if err != nil || len(s.remoteAlgorithms) == 0 {
		return nil, err
	}
	tr.log.InfoContext(ctx, "race is distributed", "subject", r.Subject, "parts", s.remoteAlgorithms)
	return s, nil
}

// isWorthDistributing reports whether a race has a large enough dataset, and enough time left,
// to be distributed over several workers.
func (tr *Trainer) isWorthDistributing(rows *raceRows) bool {
	cells := int64(len(rows.dataset.Columns)) * rows.dataset.Rows * int64(len(rows.dataset.Classes))
	return cells >= tr.minDistributedCells && tr.raceTimeLeft(rows) >= minDistributedTimeLeft
}

// listIdleWorkers returns the other live workers that run no race. If races wait for a worker, it
// returns none, because these races need the idle workers.
func (tr *Trainer) listIdleWorkers(ctx context.Context, t *store.Tx) (idle []*store.Worker, err error) {
	queued, err := t.CountQueuedJobs(ctx, jobqueue.Train)
	if err != nil || queued > 0 {
		return nil, err
	}
	workers, err := tr.queue.Workers(ctx, t)
	if err != nil {
		return nil, err
	}
	busy, err := t.ListLeaseHolders(ctx, jobqueue.Train, jobqueue.Part)
	for _, w := range workers.Live {
		if w.Process != tr.store.ProcessName() && !slices.Contains(busy, w.Process) {
			idle = append(idle, w)
		}
	}
	return idle, err
}

// newRemoteRuns returns the functions with which package learn waits for the recordings of other
// workers. If s is nil, remote is nil. The caller must call stop when the race has ended.
func (s *distributedRace) newRemoteRuns() (remote *learn.RemoteRuns, stop func()) {
	if s == nil {
		return nil, func() {}
	}
	remote = &learn.RemoteRuns{Algorithms: slices.Clone(s.remoteAlgorithms), Await: s.awaitRecording, StopTimeout: partStopTimeout, ReachedElsewhere: s.reachedElsewhere, ReportReached: s.trainer.newThresholdReporter(s.jobCtx, s.job, s.runKeys)}
	return remote, s.trainer.pollThresholdRuns(s.jobCtx, s.job.Subject, s.reachedElsewhere)
}

// isRemote reports whether another worker trains this algorithm. It returns false if s is nil.
func (s *distributedRace) isRemote(algorithm string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.remoteAlgorithms, algorithm)
}

// awaitRecording implements [learn.RemoteRuns.Await]: it polls the database until another worker
// has stored the recording of the algorithm, and opens the recording. It takes the run back from the
// queue if no worker has claimed it for [Config.PartClaimTimeout], or when idle is closed. recording is nil if
// this worker must train the run.
func (s *distributedRace) awaitRecording(ctx context.Context, algorithm string, idle <-chan struct{}) (recording io.ReadCloser, bytes int64, err error) {
	tick := time.NewTicker(partPollInterval)
	defer tick.Stop()
	ended, timeout := ctx.Done(), (<-chan time.Time)(nil)
	run, isIdle, unclaimedSince := s.runKeys[algorithm], false, s.trainer.now()
	for {
		file, queued, err := s.findRecording(run)
		if err == nil && !queued {
			unclaimedSince = s.trainer.now()
		}
		taken := false
		if queued && (isIdle || s.trainer.now().Sub(unclaimedSince) >= s.trainer.partClaimTimeout) {
			taken, err = s.takeRun(run)
		}
		switch {
		case err == nil && file.Blob != "":
			recording, bytes, err = s.openRecording(file)
			if !errors.Is(err, blob.ErrUnavailable) {
				return recording, bytes, err
			}
			s.trainer.log.WarnContext(s.jobCtx, "cannot open the recording of a part of a race; trying again", "algorithm", algorithm, "error", err)
		case err == nil && taken:
			s.markTrainedHere(algorithm)
			return nil, 0, nil
		case errors.Is(err, errNoRecording):
			s.markTrainedHere(algorithm)
			return nil, 0, err
		case err != nil && s.jobCtx.Err() == nil:
			s.trainer.log.WarnContext(s.jobCtx, "cannot look for a part of a race; trying again", "algorithm", algorithm, "error", err)
		}
		select {
		case <-s.jobCtx.Done():
			return nil, 0, context.Cause(s.jobCtx)
		case <-ended:
			ended, timeout = nil, time.After(partStopTimeout)
			s.cancelParts()
		case <-timeout:
			return nil, 0, context.Cause(ctx)
		case <-idle:
			idle, isIdle = nil, true
		case <-tick.C:
		}
	}
}

// errNoRecording is returned for a part whose job has ended without a recording.
var errNoRecording = errors.New("the job of the algorithm's run ended without a recording")

// findRecording returns the file with the recording that another worker has made of a run. It returns
// a zero File if there is no recording yet, and errNoRecording if the job of the run has ended
// without one. queued is true if no worker has claimed the job.
func (s *distributedRace) findRecording(run string) (recording store.File, queued bool, err error) {
	ctx := span.WithoutSpan(s.jobCtx) // no spans, which would fill the trace: there are two calls a second
	err = s.trainer.store.Read(ctx, func(t *store.Tx) error {
		parts, err := t.ListParts(ctx, s.job.Subject)
		if err != nil {
			return err
		}
		for _, p := range parts {
			if p.Training == run && p.Blob != "" {
				recording = p.File
				return nil
			}
		}
		state, err := t.GetJobState(ctx, run)
		if errors.Is(err, store.ErrNotFound) {
			return errNoRecording
		}
		queued = err == nil && state.Owner == ""
		return err
	})
	return recording, queued, err
}

// takeRun deletes the job of a run, unless a worker has claimed the job. If it returns true, this
// worker must train the run itself.
func (s *distributedRace) takeRun(run string) (taken bool, err error) {
	err = s.trainer.queue.WriteWithLease(s.jobCtx, s.job, func(t *store.Tx) (err error) {
		taken, err = t.DeleteQueuedJob(s.jobCtx, run)
		return err
	})
	return taken && err == nil, err
}

// markTrainedHere records that this worker, and no other, trains the run of an algorithm.
func (s *distributedRace) markTrainedHere(algorithm string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remoteAlgorithms = slices.DeleteFunc(s.remoteAlgorithms, func(name string) bool { return name == algorithm })
}

// cancelParts asks the other workers to stop training and to store the recordings of their
// runs.
func (s *distributedRace) cancelParts() {
	err := s.trainer.queue.WriteWithLease(s.jobCtx, s.job, func(t *store.Tx) error { return t.CancelParts(s.jobCtx, s.job.Subject) })
	if err != nil && s.jobCtx.Err() == nil {
		s.trainer.log.WarnContext(s.jobCtx, "cannot cancel the parts of a race on other workers", "error", err)
	}
}

// openRecording opens a recording and returns a reader of it and its size in bytes. Close of the
// reader returns an error if the file is damaged.
func (s *distributedRace) openRecording(f store.File) (recording io.ReadCloser, bytes int64, err error) {
	r, err := s.trainer.files.OpenVerified(s.jobCtx, f)
	if err != nil {
		return nil, 0, err
	}
	return verifyingRecording{r}, r.Size, nil
}

// verifyingRecording is a recording whose Close returns an error if the file that was read is damaged.
type verifyingRecording struct{ *blob.VerifiedReader }

func (r verifyingRecording) Close() error {
	return cmp.Or(r.Verify(), r.VerifiedReader.Close())
}

// newThresholdReporter returns a function for [learn.RemoteRuns.ReportReached]. When a run that the
// job j trains has reached the threshold, the function stores this for the other workers of the
// race. keys holds the keys of the runs, by algorithm.
func (tr *Trainer) newThresholdReporter(ctx context.Context, j *job.Job, keys map[string]string) func(learn.ThresholdReached) {
	return func(win learn.ThresholdReached) {
		err := tr.queue.WriteWithLease(ctx, j, func(t *store.Tx) error { return t.SetThresholdReachedTime(ctx, keys[win.Algorithm], win.Time) })
		if err != nil && ctx.Err() == nil { // not fatal: the other workers only train longer than necessary
			tr.log.WarnContext(ctx, "cannot store that a run has reached the threshold", "algorithm", win.Algorithm, "error", err)
		}
	}
}

// pollThresholdRuns starts a goroutine that looks for algorithms of a race that have reached the
// threshold on another worker, and sends each of them once on the channel wins. The goroutine ends
// when stop is called or ctx is done.
func (tr *Trainer) pollThresholdRuns(ctx context.Context, race string, wins chan<- learn.ThresholdReached) (stop func()) {
	sent := map[string]bool{}
	ctx, cancel := context.WithCancel(span.WithoutSpan(ctx)) // see findRecording
	stopPolling := repeat.Every(ctx, partPollInterval, func() {
		var parts []*store.RacePart
		err := tr.store.ReadOneStatement(ctx, func(t *store.Tx) (err error) {
			parts, err = t.ListParts(ctx, race)
			return err
		})
		if err != nil && ctx.Err() == nil {
			tr.log.WarnContext(ctx, "cannot read the state of the parts of a race; trying again", "error", err)
		}
		for _, p := range parts {
			if p.ReachedTime == nil || sent[p.Training] {
				continue
			}
			select {
			case wins <- learn.ThresholdReached{Algorithm: p.Algorithm, Time: *p.ReachedTime}:
				sent[p.Training] = true
			case <-ctx.Done():
			}
		}
	})
	return func() {
		cancel()
		stopPolling()
	}
}

// DeletePartsOfEndedRaces deletes the recordings that remain from races that have ended.
func (tr *Trainer) DeletePartsOfEndedRaces(ctx context.Context) {
	if !tr.DistributesRaces() {
		return
	}
	var blobs []string
	err := tr.store.Write(ctx, func(t *store.Tx) (err error) {
		blobs, err = t.DeletePartsOfEndedRaces(ctx)
		return err
	})
	if err != nil {
		if ctx.Err() == nil { // the next race or clean-up deletes the rest
			tr.log.WarnContext(ctx, "cannot delete the parts of ended races", "error", err)
		}
		return
	}
	if len(blobs) > 0 {
		tr.files.Delete(ctx, blobs...)
	}
}
