package neural

import (
	"sync"
	"sync/atomic"
)

// team is a number of workers.
type team int

// each runs task for i = 0…n-1, every i on one of the workers 0…team-1. Tasks
// must not touch each other's memory: then it does not matter who runs which.
func (t team) each(n int, task func(worker, i int)) {
	workers := min(int(t), n)
	if workers <= 1 {
		for i := range n {
			task(0, i)
		}
		return
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				task(w, i)
			}
		})
	}
	all.Wait()
}
