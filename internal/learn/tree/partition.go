package tree

import (
	"context"

	"foretell/internal/learn/kernel"
	"foretell/internal/learn/parallel"
)

// The rows of a tree are in one slice. The rows of a leaf are adjacent and ascending. For
// example, the leaf with the rows a b d g h i j k l is partitioned into two leaves:
//
//	[c e f | a b d g h i j k l]
//	[c e f | a g h l | b d i j k]

// partition moves the rows with table[data[row]] = 1 to the front, in unchanged
// order on both sides, and returns their number. It overwrites
// scratch[:len(rows)].
func partition(data []uint8, table *[histWidth]uint8, rows, scratch []int32) (numLeft int) {
	leftCount := kernel.Partition(rows, scratch, data, table)
	copy(rows[leftCount:], scratch[:len(rows)-leftCount])
	return leftCount
}

// chunkRows is the number of rows that one worker partitions at a time.
const chunkRows = 1 << 14

// partitionParallel is partition on several workers. Each worker partitions chunks of the rows. The
// front parts of all chunks are then joined, followed by the back parts of all chunks.
func partitionParallel(ctx context.Context, workers int, data []uint8, table *[histWidth]uint8, rows, scratch []int32) (numLeft int, err error) {
	if workers <= 1 || len(rows) < 2*chunkRows {
		return partition(data, table, rows, scratch), ctx.Err()
	}
	tasks := (len(rows) + chunkRows - 1) / chunkRows
	leftCounts := make([]int, tasks)
	rights := make([][]int32, tasks)
	err = parallel.ForContext(ctx, workers, tasks, func(_, i int) {
		lo, hi := i*chunkRows, min((i+1)*chunkRows, len(rows))
		leftCounts[i] = kernel.Partition(rows[lo:hi], scratch[lo:hi], data, table)
		rights[i] = scratch[lo : hi-leftCounts[i]]
	})
	if err != nil {
		return 0, err
	}
	at := 0
	for i, n := range leftCounts {
		at += copy(rows[at:], rows[i*chunkRows:][:n])
	}
	numLeft = at
	for _, some := range rights {
		at += copy(rows[at:], some)
	}
	return numLeft, nil
}
