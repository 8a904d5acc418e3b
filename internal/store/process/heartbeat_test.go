package process

import (
	"testing"
	"time"
)

// TestHeartbeatTracker checks that a value counts as unchanged only for the time in which it
// was observed regularly.
func TestHeartbeatTracker(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
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
		{"the clock jumps ahead", []int{0, 1, 3600, 3601}, []int64{1, 1, 1, 1}, time.Second},
		{"a short gap", []int{0, 1, 10, 11}, []int64{1, 1, 1, 1}, MaxObservationGap + 2*time.Second},
		{"the clock jumps back", []int{3600, 3601, 0, 1}, []int64{1, 1, 1, 1}, 2 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r HeartbeatTracker
			for i, second := range tt.seconds {
				r.Observe(start.Add(time.Duration(second)*time.Second), map[string]int64{"key": tt.values[i]})
			}
			if got := r.SinceChange("key"); got != tt.want {
				t.Errorf("unchanged for %s, want %s", got, tt.want)
			}
		})
	}
}
