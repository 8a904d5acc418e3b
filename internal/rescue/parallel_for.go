package rescue

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// ParallelFor calls work for each number from 0 to n-1, with one goroutine per core. When ctx is
// done, it stops and returns the cause. If work panics, ParallelFor panics once all goroutines have
// ended.
func ParallelFor(ctx context.Context, n int, work func(i int)) error {
	var next atomic.Int32
	var panics Catcher
	worker := func() {
		panics.Call(func() {
			for i := next.Add(1) - 1; int(i) < n && ctx.Err() == nil && !panics.Caught(); i = next.Add(1) - 1 {
				work(int(i))
			}
		})
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		group.Go(worker)
	}
	worker()
	group.Wait()
	panics.Rethrow()
	return context.Cause(ctx)
}
