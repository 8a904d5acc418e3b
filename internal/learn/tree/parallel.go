package tree

import (
	"context"
	"sync/atomic"
)

// Parallel calls do(worker, task) for each task in 0…tasks-1 on at most workers
// goroutines; worker is below min(workers, tasks). Tasks begin in ascending
// order, but which worker runs which is not fixed: a result must depend on its
// task alone. If ctx is cancelled no further task begins and Parallel returns
// its error.
//
// It is efficient for tasks of a few microseconds, because workers spin for a
// moment after each loop: waking a sleeping core takes longer than such a task.
func Parallel(ctx context.Context, workers, tasks int, do func(worker, task int)) error {
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
	loop := &parallelFor{ctx: ctx, tasks: tasks, do: do}
	var buffer [8]*worker
	acquired := buffer[:0]
	for worker := 1; worker < workers; worker++ {
		acquired = append(acquired, idleWorkers.acquire(loop, worker))
	}
	loop.run(0)
	for _, h := range acquired {
		idleWorkers.release(h)
	}
	return ctx.Err()
}

// parallelFor is one call of Parallel, shared by its workers.
type parallelFor struct {
	ctx   context.Context
	next  atomic.Int64
	tasks int
	do    func(worker, task int)
}

// run runs tasks until none is left.
func (c *parallelFor) run(worker int) {
	for c.ctx.Err() == nil {
		task := int(c.next.Add(1)) - 1
		if task >= c.tasks {
			return
		}
		c.do(worker, task)
	}
}
