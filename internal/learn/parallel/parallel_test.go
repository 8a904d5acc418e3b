package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestParallel(t *testing.T) {
	t.Run("every_task_runs_once_and_a_worker_runs_one_at_a_time", func(t *testing.T) {
		var group sync.WaitGroup
		for range 4 { // callers that share the workers
			group.Go(func() {
				for round := range 300 {
					workers, tasks := 1+round%5, round%17
					counts := make([]int32, tasks)
					busy := make([]atomic.Bool, workers)
					err := ForContext(t.Context(), workers, tasks, func(worker, task int) {
						if busy[worker].Swap(true) {
							t.Errorf("worker %d does two tasks at once", worker)
						}
						counts[task]++
						busy[worker].Store(false)
					})
					if err != nil {
						t.Error(err)
					}
					for task, n := range counts {
						if n != 1 {
							t.Errorf("task %d of %d was done %d times by %d workers", task, tasks, n, workers)
						}
					}
				}
			})
		}
		group.Wait()
	})
	t.Run("loops_may_be_nested", func(t *testing.T) {
		var sum atomic.Int64
		err := ForContext(t.Context(), 3, 20, func(_, task int) {
			err := ForContext(t.Context(), 2, 10, func(_, inner int) { sum.Add(int64(task * inner)) })
			if err != nil {
				t.Error(err)
			}
		})
		if err != nil || sum.Load() != 190*45 {
			t.Errorf("%d, %v", sum.Load(), err)
		}
	})
	t.Run("a_caller_waits_for_a_worker_longer_than_it_spins", func(t *testing.T) {
		taken := make(chan struct{})
		var once sync.Once
		var finished atomic.Bool
		err := ForContext(t.Context(), 2, 2, func(worker, _ int) {
			if worker == 0 {
				<-taken // the worker has its task
				return
			}
			once.Do(func() { close(taken) })
			for i := range int(1e7) { // far longer than spinLimit
				finished.Store(i == 1e7-1)
			}
		})
		if err != nil || !finished.Load() {
			t.Errorf("finished: %v, error: %v", finished.Load(), err)
		}
	})
	t.Run("the_caller_gets_the_panic_of_a_task", func(t *testing.T) {
		for worker := range 2 {
			err := Recover(func() error {
				both := make(chan struct{}, 2) // so that both workers have a task
				For(2, 100, func(w, task int) {
					if task < 2 {
						both <- struct{}{}
						for len(both) < 2 {
							runtime.Gosched()
						}
					}
					if w == worker {
						breakDown()
					}
				})
				return nil
			})
			if !errors.Is(err, ErrPanic) || err.Error() != "internal error of the algorithm: broken" {
				t.Errorf("worker %d: error %v", worker, err)
			}
			var p *PanicError
			if !errors.As(err, &p) || !strings.Contains(string(p.Stack), "breakDown") {
				t.Errorf("worker %d: error %#v without the stack of the task", worker, err)
			}
		}
	})
	t.Run("no_task_begins_once_cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var begun atomic.Int64
		err := ForContext(ctx, 2, 1000, func(_, _ int) {
			begun.Add(1)
			cancel()
		})
		if !errors.Is(err, context.Canceled) || begun.Load() > 2 {
			t.Errorf("%d tasks, %v", begun.Load(), err)
		}
	})
}

func breakDown() { panic("broken") }

func TestForErrorReturnsTheErrorOfTheLowestTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no goroutine is left when it returns
		for _, workers := range []int{1, 3} {
			var ran atomic.Int64
			err := ForError(workers, 100, func(task int) error {
				ran.Add(1)
				if task >= 10 {
					return fmt.Errorf("task %d", task)
				}
				return nil
			})
			if err == nil || err.Error() != "task 10" {
				t.Errorf("%d workers: error %v, want task 10", workers, err)
			}
			if n := int(ran.Load()); n > 10+workers {
				t.Errorf("%d workers: %d tasks began", workers, n)
			}
		}
		if err := ForError(3, 5, func(int) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}
