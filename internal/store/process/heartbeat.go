package process

import "time"

// HeartbeatTracker measures how long ago the heartbeats of other processes last changed. A
// heartbeat is a stored number that its process changes regularly. The tracker only compares each
// heartbeat with its earlier value, and measures time with the monotonic clock of this process.
// Therefore it does not depend on the clocks of other machines. The zero value is ready to use.
type HeartbeatTracker struct {
	values   map[string]trackedHeartbeat
	observed time.Time // time of the last observation
}

// trackedHeartbeat is the last observed value of a heartbeat, and the time for which this value has
// not changed.
type trackedHeartbeat struct {
	value       int64
	sinceChange time.Duration
}

// MaxObservationGap is the largest usual time between two observations. If more time passes, this
// process or the database was suspended. Then only MaxObservationGap counts as time without a
// heartbeat, because the other processes may have been suspended, too, and need time for a heartbeat
// before this process considers them dead. If more than twice MaxObservationGap passes, the earlier
// observations are forgotten.
const MaxObservationGap = 5 * time.Second

// Observe records the current heartbeats, by key. If a heartbeat has not changed since the last
// call, the time since then counts towards [HeartbeatTracker.SinceChange], but at most
// MaxObservationGap. After more than twice MaxObservationGap without a call, all times begin again
// at 0. now should have a monotonic clock reading.
func (r *HeartbeatTracker) Observe(now time.Time, values map[string]int64) {
	gap := max(now.Sub(r.observed), 0)
	if gap > 2*MaxObservationGap {
		r.values = nil
	}
	gap = min(gap, MaxObservationGap)
	compared := make(map[string]trackedHeartbeat, len(values))
	for key, value := range values {
		compared[key] = trackedHeartbeat{value: value}
		if before, ok := r.values[key]; ok && before.value == value {
			compared[key] = trackedHeartbeat{value, before.sinceChange + gap}
		}
	}
	r.values, r.observed = compared, now
}

// SinceChange returns the time for which the heartbeat with this key has not changed. It returns 0
// if the last call of Observe had no such heartbeat.
func (r *HeartbeatTracker) SinceChange(key string) time.Duration { return r.values[key].sinceChange }
