package training

import (
	"context"
	"fmt"
	"math"
	"time"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/jobqueue"
	"foretell/internal/learn/memory"
	"foretell/internal/store"
	"foretell/internal/table/frame"
)

// EstimateMemory returns the estimated peak memory of a race of these algorithms in bytes. schema
// is the decoded schema of the dataset d.
func EstimateMemory(d *store.Dataset, schema *frame.Schema, algorithms []string) int64 {
	return memory.Estimate(memory.NewShape(int(d.Rows), d.Bytes, schema), algorithms)
}

const (
	// memoryCheckInterval is the interval at which FailTooLargeRaces checks the races that need
	// more memory than any worker has.
	memoryCheckInterval = 500 * time.Millisecond
	// largerWorkerWait is how long a race stays in the queue if it needs more memory than any
	// worker has. A worker with more memory may be restarting.
	largerWorkerWait = 30 * time.Second
)

// FailTooLargeRaces starts a goroutine that makes queued races FAILED if none of the processes that
// may run them has enough memory. The goroutine ends when stop is called or ctx is done.
func (tr *Trainer) FailTooLargeRaces(ctx context.Context) (stop func()) {
	since := map[string]time.Time{} // by race, when the race was first found to be too large for every worker
	return tr.queue.Watch(ctx, func() time.Duration {
		races, largest, err := tr.listTooLargeRaces(ctx)
		found := map[string]time.Time{}
		for _, race := range races {
			began, ok := since[race.Key]
			if !ok {
				began = tr.now()
			}
			if found[race.Key] = began; err == nil && (tr.queue.OwnJobsOnly() || tr.now().Sub(began) >= largerWorkerWait) {
				err = tr.failQueuedRace(ctx, race, largest)
			}
		}
		since = found
		if err != nil && ctx.Err() == nil {
			tr.log.WarnContext(ctx, "cannot compare the races with the memory of the workers", "error", err)
		}
		if len(since) > 0 {
			return memoryCheckInterval
		}
		return job.MaxWatchInterval
	})
}

// listTooLargeRaces returns the queued races for which none of the processes that may run them has
// enough memory. The result largest is the memory of the largest of these processes, in bytes.
func (tr *Trainer) listTooLargeRaces(ctx context.Context) (races []*store.LargeRace, largest int64, err error) {
	err = tr.store.Read(ctx, func(t *store.Tx) error {
		races = nil
		workers := []*store.Worker{{Memory: tr.queue.Memory()}}
		if !tr.queue.OwnJobsOnly() {
			others, err := tr.queue.Workers(ctx, t)
			if err != nil {
				return err
			}
			workers = append(workers, others.Live...)
		}
		for _, w := range workers {
			if w.Memory == 0 { // no limit
				return nil
			}
			largest = max(largest, w.Memory)
		}
		listed, err := t.ListLargeRaces(ctx, jobqueue.Train, largest)
		if err != nil {
			return err
		}
		for _, race := range listed {
			own := race.Process == tr.store.ProcessName()
			if own || !tr.queue.OwnJobsOnly() && (race.Process == "" || !tr.store.IsProcessAlive(race.Process)) {
				races = append(races, race)
			}
		}
		return nil
	})
	return races, largest, err
}

// failQueuedRace makes a queued race FAILED, because it needs more memory than largest, the memory
// of the largest process in bytes. It does nothing if a worker has claimed the race.
func (tr *Trainer) failQueuedRace(ctx context.Context, race *store.LargeRace, largest int64) error {
	refused := false
	err := tr.store.Write(ctx, func(t *store.Tx) error {
		r, err := t.GetTraining(ctx, race.Account, race.Key)
		if err != nil {
			return err
		}
		d, err := t.GetDataset(ctx, race.Account, r.Dataset)
		if err != nil {
			return err
		}
		runs, err := t.ListRuns(ctx, race.Key)
		if err != nil {
			return err
		}
		if refused, err = t.DeleteQueuedJob(ctx, race.Key); err != nil || !refused {
			return err
		}
		return t.EndRace(ctx, r, store.Ending{Status: api.TrainingFailed, Reason: raceMemoryMessage(race, largest, d, runs), Time: tr.sharedNow()})
	})
	if err == nil && refused {
		tr.queue.CountFinishedRace(api.TrainingFailed)
		tr.log.WarnContext(ctx, "a race has failed because no worker has enough memory", "subject", race.Key, "accountKey", race.Account,
			"memory", formatSize(race.Memory, math.Ceil), "largestWorker", formatSize(largest, math.Floor))
	}
	return err
}

// raceMemoryMessage returns a message that says why a race cannot begin, and what to do.
// largestMemory is the memory of the largest process that may run the race, in bytes.
func raceMemoryMessage(race *store.LargeRace, largestMemory int64, d *store.Dataset, runs []*store.Training) string {
	smallest, need := "", race.Memory
	if schema, err := frame.DecodeStored(d.Schema); err == nil {
		for _, run := range runs {
			if single := EstimateMemory(d, schema, []string{run.Algorithm}); single < need && single <= largestMemory {
				smallest, need = run.Algorithm, single
			}
		}
	}
	advice := "use fewer rows or classes"
	if smallest != "" {
		advice = fmt.Sprintf("select only %s, which needs about %s", smallest, formatSize(need, math.Ceil))
	}
	return fmt.Sprintf("the race needs about %s of memory (estimated from %d rows, %d columns and %d classes), but at most %s is available for races: "+
		"%s, or make more available (--memory of a service or worker; without a service, FORETELL_MEMORY)",
		formatSize(race.Memory, math.Ceil), d.Rows, len(d.Columns), len(d.Classes), formatSize(largestMemory, math.Floor), advice)
}

// formatSize formats a number of bytes in MB or GB, such as "1.5 GB". Callers round required
// memory with math.Ceil and available memory with math.Floor, so that the two texts differ
// whenever too little is available.
func formatSize(numBytes int64, round func(float64) float64) string {
	if numBytes < 1e9 {
		return fmt.Sprintf("%.0f MB", round(float64(numBytes)/1e6))
	}
	return fmt.Sprintf("%.1f GB", round(float64(numBytes)/1e8)/10)
}
