package tree

import (
	"context"

	"foretell/internal/learn/kernel"
)

// The rows of a tree lie in one slice, those of a leaf side by side and in
// ascending order. Dividing leaf d of a tree of rows a…l:
//
//	[c e f | a b d g h i j k l]
//	[c e f | a g h l | b d i j k]

// divide moves the rows whose bin has 1 in table to the front, keeping the
// order on both sides, and returns their number. It overwrites
// scratch[:len(rows)].
func divide(data []uint8, table *[window]uint8, rows, scratch []int32) int {
	lefts := kernel.Part(rows, scratch, data, table)
	copy(rows[lefts:], scratch[:len(rows)-lefts])
	return lefts
}

// stretch is the number of rows one worker divides at a time.
const stretch = 1 << 14

// divideMany is divide on several workers: each divides stretches of its own,
// then the halves are moved together.
func divideMany(ctx context.Context, workers int, data []uint8, table *[window]uint8, rows, scratch []int32) (int, error) {
	if workers <= 1 || len(rows) < 2*stretch {
		return divide(data, table, rows, scratch), ctx.Err()
	}
	tasks := (len(rows) + stretch - 1) / stretch
	lefts := make([]int, tasks)
	rights := make([][]int32, tasks)
	err := Parallel(ctx, workers, tasks, func(_, i int) {
		lo, hi := i*stretch, min((i+1)*stretch, len(rows))
		lefts[i] = kernel.Part(rows[lo:hi], scratch[lo:hi], data, table)
		rights[i] = scratch[lo : hi-lefts[i]]
	})
	if err != nil {
		return 0, err
	}
	at := 0
	for i, n := range lefts {
		at += copy(rows[at:], rows[i*stretch:][:n])
	}
	total := at
	for _, some := range rights {
		at += copy(rows[at:], some)
	}
	return total, nil
}
