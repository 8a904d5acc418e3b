package repeat

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAfterAndEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		stop := AfterAndEvery(t.Context(), time.Second, time.Minute, func() { calls.Add(1) })
		for _, step := range []struct {
			after time.Duration
			calls int64
		}{{500 * time.Millisecond, 0}, {time.Second, 1}, {58 * time.Second, 1}, {2 * time.Second, 2}} {
			time.Sleep(step.after)
			synctest.Wait()
			if calls.Load() != step.calls {
				t.Fatalf("%d calls, want %d", calls.Load(), step.calls)
			}
		}
		stop()
		time.Sleep(time.Hour)
		if calls.Load() != 2 {
			t.Errorf("%d calls after stop", calls.Load())
		}
	})
}
