package forest

import (
	"context"

	"foretell/internal/learn/tree"
)

// jury are rows and what trees have voted on them.
type jury struct {
	classes, features int
	rows              []uint8  // bins, row major
	votes             []uint32 // classes numbers a row, in parts of whole
	size              []uint32 // trees that have voted on each row
}

func newJury(bins *tree.BinnedMatrix, rows []int32, classes int) *jury {
	j := &jury{classes: classes, features: len(bins.Features)}
	j.rows = make([]uint8, len(rows)*j.features)
	for f := range bins.Features {
		data := bins.Features[f].Data
		for i, row := range rows {
			j.rows[i*j.features+f] = data[row]
		}
	}
	return j.dismissed(len(rows))
}

// dismissed returns a jury of the same rows without votes.
func (j *jury) dismissed(rows int) *jury {
	fresh := *j
	fresh.votes = make([]uint32, rows*j.classes)
	fresh.size = make([]uint32, rows)
	return &fresh
}

// juryBlock is how many rows one worker takes at a time: their bins stay in
// the cache while tree after tree runs over them.
const juryBlock = 256

// hear lets the members vote on the rows; seen tells which may not vote on
// which, nil that all may.
func (j *jury) hear(ctx context.Context, workers int, members []*member, seen func(member, row int) bool) error {
	rows := len(j.size)
	return tree.Parallel(ctx, workers, (rows+juryBlock-1)/juryBlock, func(_, block int) {
		for i, m := range members {
			for row := block * juryBlock; row < min((block+1)*juryBlock, rows); row++ {
				if seen == nil || !seen(i, row) {
					j.add(row, m.vote(j.rows[row*j.features:(row+1)*j.features]))
				}
			}
		}
	})
}

// add counts one tree's vote on a row.
func (j *jury) add(row int, shares []share) {
	votes := j.of(row)
	for _, s := range shares {
		votes[s.class] += uint32(s.part)
	}
	j.size[row]++
}

// merge adds the votes of other trees on the same rows.
func (j *jury) merge(other *jury) {
	for i, v := range other.votes {
		j.votes[i] += v
	}
	for i, n := range other.size {
		j.size[i] += n
	}
}

// of returns the votes on a row.
func (j *jury) of(row int) []uint32 { return j.votes[row*j.classes : (row+1)*j.classes] }
