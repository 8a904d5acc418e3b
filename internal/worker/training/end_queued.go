package training

import (
	"context"
	"time"

	"foretell/internal/store"
)

// End describes the end of a race that never ran.
type End struct {
	// Status is the final status of the race, and Reason the reason of a failure.
	Status, Reason string
	Time           time.Time
}

// EndQueued ends a queued race and its runs. The caller must have deleted the job of the race.
func EndQueued(ctx context.Context, t *store.Tx, race *store.Training, end End) error {
	children, err := t.ListRuns(ctx, race.Key)
	if err != nil {
		return err
	}
	if err := t.DeletePartJobs(ctx, race.Key); err != nil {
		return err
	}
	for _, r := range append(children, race) {
		ended := *r // the transaction may be run again
		ended.Status, ended.FailureReason, ended.Finished = end.Status, end.Reason, end.Time
		if err := t.UpdateTraining(ctx, &ended, r.Status); err != nil {
			return err
		}
	}
	return nil
}
