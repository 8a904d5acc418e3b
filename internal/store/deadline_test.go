package store

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"foretell/internal/api"
)

// racesWithDeadline checks which races can end because of their deadline: the earliest of those that no
// worker has claimed, even if a process that runs only its own jobs has queued them.
func (s suite) racesWithDeadline(t *testing.T) {
	s.fill(t)
	write(t, s.Store, func(tx *Tx) error {
		var errs []error
		for key, deadline := range map[string]int{"third": 30, "claimed": 5, "first": 10, "second": 20, "fourth": 40} {
			race := &Training{Key: key, Account: "ann", Dataset: "d1", Status: api.TrainingPending, Deadline: at(deadline)}
			j := &Job{Key: "job " + key, Account: "ann", Kind: "train", Subject: key, Created: at(deadline)}
			if key == "second" {
				j.Process = "command"
			}
			errs = append(errs, tx.InsertTraining(t.Context(), race), tx.InsertJob(t.Context(), j))
		}
		return errors.Join(errs...)
	})
	if j, err := s.ClaimJob(t.Context(), JobClaim{Kind: "train", Until: at(10)}); err != nil || j.Subject != "claimed" {
		t.Fatal(j, err)
	}
	var keys []string
	err := s.ReadOneStatement(t.Context(), func(tx *Tx) error {
		races, err := tx.ListRacesWithDeadline(t.Context(), 3)
		for _, race := range races {
			keys = append(keys, race.Key)
		}
		return err
	})
	if err != nil || !slices.Equal(keys, []string{"first", "second", "third"}) {
		t.Errorf("the races are %s, %v", strings.Join(keys, ", "), err)
	}
}
