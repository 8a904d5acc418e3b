package neural

import (
	"sync"
	"sync/atomic"
)

// workerCount is a number of goroutines.
type workerCount int

// parallelFor calls task for i = 0…n-1, each on one of the workers
// 0…workerCount-1. Tasks must not share memory, so that it does not matter
// which worker runs which.
func (t workerCount) parallelFor(n int, task func(worker, i int)) {
	workers := min(int(t), n)
	if workers <= 1 {
		for i := range n {
			task(0, i)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				task(w, i)
			}
		})
	}
	group.Wait()
}
