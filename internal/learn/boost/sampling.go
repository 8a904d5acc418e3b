package boost

import (
	"context"
	"math"
	"math/rand/v2"

	"foretell/internal/learn/kernel"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/rng"
	"foretell/internal/learn/tree"
	"foretell/internal/learn/workspace"
)

// trimFraction determines which rows a tree ignores: the rows with the smallest absolute gradients,
// which together have at most this fraction of the sum of all absolute gradients ("influence
// trimming", Friedman, Hastie & Tibshirani 2000, section 9). Late in training, and for rare
// classes, most rows are ignored.
const trimFraction = 0.005

// rowSampler draws the rows that one tree is grown from. It is reused for the next tree.
type rowSampler struct {
	gradients    []int64 // by row: as PackGradHess packs them, then quantised
	kept, others []int32 // the rows that the tree is grown from, and the other rows
	histogram    magnitudeHistogram
	chunks       []sampleChunk
}

// magnitudeHistogram counts rows by the magnitude of their gradients.
type magnitudeHistogram [1 << 11]magnitudeBin

// magnitudeBin counts the rows whose gradients have about the same magnitude. mass is the sum of
// the absolute gradients of these rows.
type magnitudeBin struct {
	rows int
	mass float64
}

// sampleChunk is the result of the task for one chunk of the training rows: the histogram of their
// gradients, and the numbers of rows that the task wrote to rowSampler.kept and rowSampler.others.
type sampleChunk struct {
	histogram          magnitudeHistogram
	numKept, numOthers int
}

// chunkRows is the number of rows of a chunk.
const chunkRows = 1 << 14

// sampleParams are the parameters of computeGradientsAndSample. fraction is the fraction of the
// rows to keep. Each tree has its own salt, so that different rows are drawn for each tree.
type sampleParams struct {
	fraction float64
	salt     uint64
}

// resize sets the lengths of the slices of s for a frame with the given numbers of rows and
// of training rows.
func (s *rowSampler) resize(rows, train int) {
	s.gradients = workspace.Resize(s.gradients, rows)
	s.kept, s.others = workspace.Resize(s.kept, rows), workspace.Resize(s.others, rows)
	s.chunks = workspace.Resize(s.chunks, (train+chunkRows-1)/chunkRows)
}

// computeGradientsAndSample computes the derivatives of the loss with respect to an output, for the
// training rows, and returns the sum of the absolute gradients. It sets s.kept to the rows from
// which a tree will be grown, and s.others to the other training rows, followed by the validation
// rows. s.kept and both parts of s.others are ascending.
//
// If params.fraction is below 1, rows are sampled. A row with the absolute gradient |g| is kept
// with probability |g|/μ, or always if |g| is at least the threshold μ. Derivatives of rows that
// may be dropped are multiplied by μ/|g|, so that sums are unbiased and have little variance
// (Ibragimov & Gusev, Minimal variance sampling in stochastic gradient boosting, NeurIPS 2019).
func (s *rowSampler) computeGradientsAndSample(ctx context.Context, workers int, scores *outputScores, output int, params sampleParams) (gradientSum float64, err error) {
	err = parallel.ForContext(ctx, workers, len(s.chunks), func(_, i int) { s.computeChunkGradients(scores, output, i) })
	if err != nil {
		return 0, err
	}
	clear(s.histogram[:])
	for i := range s.chunks {
		for magnitude, b := range &s.chunks[i].histogram {
			s.histogram[magnitude].rows += b.rows
			s.histogram[magnitude].mass += b.mass
		}
	}
	total, minKept, minCertain := s.magnitudeLimits(params.fraction * float64(len(scores.train)))
	err = parallel.ForContext(ctx, workers, len(s.chunks), func(_, i int) { s.selectRows(scores, i, params, minKept, minCertain) })
	if err != nil {
		return 0, err
	}
	s.kept, s.others = s.kept[:cap(s.kept)], s.others[:cap(s.others)]
	kept, left := 0, 0
	for i := range s.chunks {
		kept += copy(s.kept[kept:], s.kept[i*chunkRows:][:s.chunks[i].numKept])
		left += copy(s.others[left:], s.others[i*chunkRows:][:s.chunks[i].numOthers])
	}
	left += copy(s.others[left:], scores.validation)
	s.kept, s.others = s.kept[:kept], s.others[:left]
	return total, nil
}

func (s *rowSampler) rowsOfChunk(scores *outputScores, chunkIndex int) []int32 {
	return scores.train[chunkIndex*chunkRows : min((chunkIndex+1)*chunkRows, len(scores.train))]
}

// computeChunkGradients computes the derivatives of the loss with respect to one output, for
// the rows of a chunk, and counts the rows by the magnitude of their gradients.
func (s *rowSampler) computeChunkGradients(scores *outputScores, output, chunkIndex int) {
	chunk := &s.chunks[chunkIndex]
	clear(chunk.histogram[:])
	rows := s.rowsOfChunk(scores, chunkIndex)
	if scores.maxScores == nil {
		s.computeLogisticGradients(scores, rows)
	} else {
		s.computeSoftmaxGradients(scores, output, rows)
	}
	for _, row := range rows {
		g, _ := tree.UnpackGradHess(s.gradients[row])
		b := &chunk.histogram[logMagnitude(g)]
		b.rows++
		b.mass += math.Abs(float64(g))
	}
}

// blockRows is the largest number of rows of the frame that are processed at once.
const blockRows = 512

// forRowBlocks divides rows into successive parts, and calls do for each part. All rows of a part
// are in the range lo…hi-1, which has at most blockRows rows of the frame. do should process the
// whole range, including rows that are not in the part, because skipping them would take longer. If
// less than an eighth of the range would be in the part, the part is a single row.
func forRowBlocks(rows []int32, frameRows int, do func(lo, hi int, part []int32)) {
	for len(rows) > 0 {
		lo := int(rows[0])
		hi := min(lo+blockRows, frameRows)
		n := 0
		for n < len(rows) && uint(int(rows[n])-lo) < uint(hi-lo) {
			n++
		}
		if 8*n < hi-lo { // a kernel processes eight rows in about the time of one
			n, hi = 1, lo+1
		}
		do(lo, hi, rows[:n])
		rows = rows[n:]
	}
}

// computeLogisticGradients computes the derivatives of the loss of rows for two classes, with
// respect to the only output.
func (s *rowSampler) computeLogisticGradients(scores *outputScores, rows []int32) {
	var raw [blockRows]uint64
	forRowBlocks(rows, len(scores.labels), func(lo, hi int, part []int32) {
		kernel.LogisticGradients(raw[:hi-lo], scores.values[0][lo:hi], scores.labels[lo:hi], scores.outputClass(0))
		for _, row := range part {
			s.gradients[row] = int64(raw[int(row)-lo])
		}
	})
}

// computeSoftmaxGradients computes the derivatives of the loss of rows for more than two classes,
// with respect to one output.
func (s *rowSampler) computeSoftmaxGradients(scores *outputScores, output int, rows []int32) {
	var raw [blockRows]uint64
	forRowBlocks(rows, len(scores.labels), func(lo, hi int, part []int32) {
		kernel.SoftmaxGradients(raw[:hi-lo], scores.values[output][lo:hi], scores.maxScores[lo:hi], scores.normalizers[lo:hi],
			scores.labels[lo:hi], scores.outputClass(output), minLogOdds)
		for _, row := range part {
			s.gradients[row] = int64(raw[int(row)-lo])
		}
	})
}

// selectRows decides which rows of a chunk are kept. It writes these rows to s.kept and the other
// rows to s.others, both starting at the index chunkIndex·chunkRows. minKept and minCertain are
// results of magnitudeLimits.
func (s *rowSampler) selectRows(scores *outputScores, chunkIndex int, params sampleParams, minKept, minCertain int) {
	chunk := &s.chunks[chunkIndex]
	chunk.numKept, chunk.numOthers = 0, 0
	rows := s.rowsOfChunk(scores, chunkIndex)
	kept, others := s.kept[:cap(s.kept)][chunkIndex*chunkRows:][:len(rows)], s.others[:cap(s.others)][chunkIndex*chunkRows:][:len(rows)]
	mu := math.Float32frombits(uint32(minCertain) << magnitudeShift)
	for _, row := range rows {
		g, h := tree.UnpackGradHess(s.gradients[row])
		at := logMagnitude(g)
		if at < minCertain {
			weight := mu / max(g, -g)
			if at < minKept || !(weight*params.uniform(row) < 1) {
				others[chunk.numOthers] = row
				chunk.numOthers++
				continue
			}
			s.gradients[row] = tree.PackGradHess(g*weight, h*weight)
		}
		kept[chunk.numKept] = row
		chunk.numKept++
	}
}

// magnitudeLimits returns the sum of the absolute gradients and two limits for the logMagnitude of
// a row's gradient. Rows below minKept are never kept. Rows at minCertain or above are always kept.
// The rows in between are sampled. minCertain is chosen so that about wantKept rows are kept in
// total.
func (s *rowSampler) magnitudeLimits(wantKept float64) (total float64, minKept, minCertain int) {
	rows := 0
	for _, b := range &s.histogram {
		total += b.mass
		rows += b.rows
	}
	below := 0.0
	for below+s.histogram[minKept].mass <= trimFraction*total && minKept < len(s.histogram)-1 {
		below += s.histogram[minKept].mass
		rows -= s.histogram[minKept].rows
		minKept++
	}
	below = 0
	for minCertain = minKept; minCertain < len(s.histogram)-1; minCertain++ {
		mu := float64(math.Float32frombits(uint32(minCertain) << magnitudeShift))
		if float64(rows)+below/mu <= wantKept {
			break
		}
		below += s.histogram[minCertain].mass
		rows -= s.histogram[minCertain].rows
	}
	return total, minKept, minCertain
}

// magnitudeShift is the number of low bits of a float32 that logMagnitude drops.
const magnitudeShift = 20

// logMagnitude returns the absolute value of x on a coarse logarithmic scale: an integer
// made of the exponent and the three highest bits of the mantissa.
func logMagnitude(x float32) int {
	return int(math.Float32bits(x) << 1 >> (magnitudeShift + 1))
}

// uniform returns a random number in [0, 1) that depends only on row and the
// salt.
func (p sampleParams) uniform(row int32) float32 {
	return float32(rng.Mix(uint64(row)^p.salt)>>40) / (1 << 24)
}

// applyTaskRows is the number of rows that one task applies a tree to.
const applyTaskRows = 1 << 14

// applyTree passes every row to visit, together with the leaf of grown that the row falls into.
// Rows outside the tree's sample may be split over several calls for the same leaf. visit may be
// called concurrently. applyTree overwrites s.kept.
func (s *rowSampler) applyTree(ctx context.Context, workers int, bins *tree.BinnedMatrix, grown *tree.Tree, grower *tree.Grower, visit func(leaf int, rows []int32)) error {
	rows := s.others
	tasks := (len(rows) + applyTaskRows - 1) / applyTaskRows
	scratch := s.kept[:cap(s.kept)]
	return parallel.ForContext(ctx, workers, grown.Leaves+tasks, func(_, i int) {
		if i < grown.Leaves {
			visit(i, grower.LeafRows(i))
			return
		}
		lo := (i - grown.Leaves) * applyTaskRows
		hi := min(lo+applyTaskRows, len(rows))
		grown.PartitionByLeaf(bins, rows[lo:hi], scratch[lo:hi], visit)
	})
}

// sampleFeatures draws fraction·n of n features, rounded, but at least one. It returns their
// indices, ascending. If fraction is at least 1, it returns nil, which means all features.
func sampleFeatures(n int, fraction float64, draw *rand.Rand) []int32 {
	if fraction >= 1 {
		return nil
	}
	want := max(int(math.Round(fraction*float64(n))), 1)
	chosen := make([]int32, 0, want)
	for i := range n {
		if draw.IntN(n-i) < want-len(chosen) {
			chosen = append(chosen, int32(i))
		}
	}
	return chosen
}
