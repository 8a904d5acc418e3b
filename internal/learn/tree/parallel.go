package tree

import (
	"context"
	"sync/atomic"
)

// Parallel calls do(worker, task) for each task in 0…tasks-1 on at most
// workers goroutines, worker being below min(workers, tasks). Tasks are handed
// out in ascending order, but which worker does which is not fixed: a result
// must depend on its task alone. When ctx is cancelled no further task begins,
// and the error is ctx's.
//
// It pays for tasks of a few microseconds already: helpers stay awake for a
// moment, because waking a sleeping core takes longer than many a task.
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
	c := &crew{ctx: ctx, tasks: tasks, do: do}
	var room [8]*helper
	helpers := room[:0]
	for worker := 1; worker < workers; worker++ {
		helpers = append(helpers, bench.call(c, worker))
	}
	c.work(0)
	for _, h := range helpers {
		bench.release(h)
	}
	return ctx.Err()
}

// crew is a number of goroutines that do the tasks of one call of Parallel.
type crew struct {
	ctx   context.Context
	next  atomic.Int64
	tasks int
	do    func(worker, task int)
}

// work does tasks until none is left.
func (c *crew) work(worker int) {
	for c.ctx.Err() == nil {
		task := int(c.next.Add(1)) - 1
		if task >= c.tasks {
			return
		}
		c.do(worker, task)
	}
}
