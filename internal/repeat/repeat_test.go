package repeat

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAfterAndEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		stop := AfterAndEvery(t.Context(), time.Second, time.Minute, func() { calls++ })
		for _, step := range []struct {
			after time.Duration
			calls int
		}{{500 * time.Millisecond, 0}, {time.Second, 1}, {58 * time.Second, 1}, {2 * time.Second, 2}} {
			time.Sleep(step.after)
			synctest.Wait()
			if calls != step.calls {
				t.Fatalf("%d calls, want %d", calls, step.calls)
			}
		}
		stop()
		time.Sleep(time.Hour)
		if calls != 2 {
			t.Errorf("%d calls after stop", calls)
		}
	})
}
