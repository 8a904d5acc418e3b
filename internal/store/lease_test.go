package store

import (
	"context"
	"testing"
	"time"
)

// TestHeartbeatTracker checks that a value counts as unchanged only for the time in which it
// was observed regularly.
func TestHeartbeatTracker(t *testing.T) {
	for _, tt := range []struct {
		name    string
		seconds []int // of the observations
		values  []int64
		want    time.Duration
	}{
		{"the first observation", []int{0}, []int64{1}, 0},
		{"unchanged", []int{0, 1, 2, 3}, []int64{1, 1, 1, 1}, 3 * time.Second},
		{"renewed", []int{0, 1, 2, 3}, []int64{1, 1, 2, 2}, time.Second},
		{"renewed with a smaller value", []int{0, 1, 2}, []int64{9, 1, 1}, time.Second},
		{"the clock jumps ahead", []int{0, 1, 3600, 3601}, []int64{1, 1, 1, 1}, maxObservationGap + 2*time.Second},
		{"the clock jumps back", []int{3600, 3601, 0, 1}, []int64{1, 1, 1, 1}, 2 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r heartbeatTracker
			for i, second := range tt.seconds {
				r.observe(at(second), map[string]int64{"key": tt.values[i]})
			}
			if got := r.values["key"].sinceChange; got != tt.want {
				t.Errorf("unchanged for %s, want %s", got, tt.want)
			}
		})
	}
}

// notifications checks that a process is notified of the jobs that another one queues or
// releases.
func (s suite) notifications(t *testing.T) {
	s.fill(t)
	other := s.open(t)
	ctx, stop := context.WithCancel(t.Context())
	changes, ended := make(chan string), make(chan error)
	go func() {
		ended <- s.WatchJobs(ctx, func(kind string) {
			select {
			case changes <- kind:
			case <-ctx.Done():
			}
		})
	}()
	await := func(what, want string) {
		t.Helper()
		select {
		case got := <-changes:
			if s.IsOnServer() && got != want {
				t.Errorf("%s: notified of the kind %q, want %q", what, got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: no notification", what)
		}
	}
	await("at first", "")
	write(t, other, func(tx *Tx) error {
		return tx.InsertJob(t.Context(), &Job{Key: "1", Account: "ann", Kind: "kind", Subject: "1", Created: at(0)})
	})
	await("queued", "kind")
	if _, err := other.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(10)}); err != nil {
		t.Fatal(err)
	}
	if !s.IsOnServer() {
		await("changed", "")
	}
	if err := other.ReleaseJob(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	await("released", "")
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
