// Package parallel runs loops on several goroutines.
//
// The goroutines of a finished loop spin for a moment before they exit, as OpenMP threads
// do. The reason is that the tasks of tree building take only a few microseconds, and waking a
// sleeping core takes longer.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"

	"foretell/internal/rescue"
)

// For calls do(worker, task) for each task in 0…tasks-1, and returns when all tasks are done.
// workers is the largest number of goroutines. worker is the number of the goroutine, in
// 0…min(workers, tasks)-1. Tasks begin in ascending order. Any worker may run a task, so the result
// must not depend on worker. Loops may be nested. If a task panics, no further task begins, and For
// panics after the other workers have ended.
func For(workers, tasks int, do func(worker, task int)) {
	_ = ForContext(context.Background(), workers, tasks, do) // it is never cancelled
}

// ForContext is For with a context: after ctx is cancelled, no further task begins. It returns the
// error of ctx.
func ForContext(ctx context.Context, workers, tasks int, do func(worker, task int)) error {
	workers = min(workers, tasks)
	if workers <= 1 {
		for task := range tasks {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(0, task)
		}
		return ctx.Err()
	}
	l := &loop{ctx: ctx, tasks: tasks, do: do}
	var buffer [8]*worker
	acquired := buffer[:0]
	for worker := 1; worker < workers; worker++ {
		acquired = append(acquired, idleWorkers.acquire(l, worker))
	}
	l.run(0)
	for _, w := range acquired {
		idleWorkers.release(w)
	}
	l.panics.Rethrow()
	return ctx.Err()
}

// loop is one call of ForContext, shared by its workers.
type loop struct {
	ctx   context.Context
	next  atomic.Int64
	tasks int
	do    func(worker, task int)
	// panics keeps the first panic of a task, because a panic on a goroutine other than the caller's
	// would end the process.
	panics rescue.Catcher
}

// run runs tasks until none is left or a task panics.
func (l *loop) run(worker int) {
	l.panics.Call(func() {
		for l.ctx.Err() == nil {
			task := int(l.next.Add(1)) - 1
			if task >= l.tasks || l.panics.Caught() {
				return
			}
			l.do(worker, task)
		}
	})
}

// ForError calls do(task) for each task in 0…tasks-1, and returns when all tasks are done. It is
// for long tasks. workers is the largest number of goroutines. After an error no further task
// begins. If several tasks fail, ForError returns the error of the task with the smallest number.
// If a task panics, this counts as an error; see Recover.
func ForError(workers, tasks int, do func(task int) error) error {
	errs := make([]error, tasks)
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range min(workers, tasks) {
		group.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= tasks {
					return
				}
				if errs[i] = Recover(func() error { return do(i) }); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
