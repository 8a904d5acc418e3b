package tree

import (
	"context"
	"sync"
	"sync/atomic"
)

// Parallel calls do(worker, task) for each task in 0…tasks-1 on at most
// workers goroutines, worker being below min(workers, tasks). Tasks are handed
// out in ascending order, but which worker does which is not fixed: a result
// must depend on its task alone. When ctx is cancelled no further task begins,
// and the error is ctx's.
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
	var next atomic.Int64
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for ctx.Err() == nil {
				task := int(next.Add(1)) - 1
				if task >= tasks {
					return
				}
				do(worker, task)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}
