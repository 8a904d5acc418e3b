package explain

import (
	"context"
	"io"
	"math"
	"slices"

	"foretell/internal/learn/duplicate"
	"foretell/internal/table/frame"
)

// Rows of a new file may be equal to training rows by chance. The expected fraction of such rows is
// about the fraction of the file's rows that are equal to another row of the file. FindTrainingRows
// therefore reports training rows only if it finds at least minTrainingRows of them and their
// fraction exceeds the expected fraction by more than minStandardErrors standard errors.
const (
	minTrainingRows   = 3
	minStandardErrors = 3
)

// FindTrainingRows searches a CSV with the columns of the model for training rows. sample is the
// number of training rows that the model keeps: its background rows. found is the number of
// background rows that are equal to a row of the file in every feature, or 0 if this number could
// be due to chance.
//
// The error for an invalid file is a *csvfile.Defect. For a model without background rows, the
// error is ErrNoBackground.
func FindTrainingRows(ctx context.Context, m *Model, file io.Reader) (found, sample int, err error) {
	if m.Background == nil {
		return 0, 0, ErrNoBackground
	}
	blocks, err := frame.NewBlockReader(file, m.Schema)
	if err != nil {
		return 0, 0, err
	}
	w := &trainingRowFinder{background: m.Background, found: map[uint64]bool{}}
	training := slices.Clone(w.hashRows(m.Background)) // because blocks reuse w.hashes
	for _, hash := range training {
		w.found[hash] = false
	}
	if err := blocks.Run(ctx, []frame.BlockWorker{w}); err != nil {
		return 0, 0, err
	}
	for _, hash := range training {
		if w.found[hash] {
			found++
		}
	}
	if sample = len(training); found < min(minTrainingRows, sample) || float64(found) <= w.counts.maxByChance(sample) {
		found = 0
	}
	return found, sample, nil
}

// trainingRowFinder looks for the background rows in the blocks of a file.
type trainingRowFinder struct {
	background *frame.Frame
	found      map[uint64]bool // for each hash of a background row, whether a row of the file has this hash
	counts     hashCounts      // of the rows of the file
	hashes     []uint64        // of the rows of a block
	buffer     []float64
}

// hashRows returns a hash of the features of each row of f, in w.hashes. It omits the
// features that the background lacks, because the model does not use them.
func (w *trainingRowFinder) hashRows(f *frame.Frame) []uint64 {
	if cap(w.hashes) < f.Rows {
		w.hashes, w.buffer = make([]uint64, f.Rows), make([]float64, f.Rows)
	}
	hashes := w.hashes[:f.Rows]
	clear(hashes)
	for i := range f.Columns {
		known := &w.background.Columns[i]
		if known.IsNumeric() || known.Codes != nil || known.Texts != nil {
			duplicate.AddCellsToHashes(hashes, &f.Columns[i], w.buffer[:f.Rows], 0)
		}
	}
	return hashes
}

// Process implements frame.BlockWorker. Commit does the work, because there is little of it.
func (w *trainingRowFinder) Process(context.Context, *frame.Block) error { return nil }

// Commit looks for the background rows among the rows of the block.
func (w *trainingRowFinder) Commit(b *frame.Block) error {
	for _, hash := range w.hashRows(b.Frame) {
		if _, known := w.found[hash]; known {
			w.found[hash] = true
		}
		w.counts.add(hash)
	}
	return nil
}

// maxHashCounts is the maximum number of hashes that a hashCounts counts.
const maxHashCounts = 1 << 16

// hashCounts counts rows by their hash in bounded memory. If there are more than maxHashCounts
// hashes, only the hashes whose lowest bits are 0 are kept. mask has a 1 in each of these bits.
type hashCounts struct {
	rows map[uint64]int
	mask uint64
}

func (c *hashCounts) add(hash uint64) {
	if c.rows == nil {
		c.rows = map[uint64]int{}
	}
	if hash&c.mask == 0 {
		c.rows[hash]++
	}
	for len(c.rows) > maxHashCounts {
		c.mask = c.mask<<1 | 1
		for one := range c.rows {
			if one&c.mask != 0 {
				delete(c.rows, one)
			}
		}
	}
}

// maxByChance returns an upper limit for the number of rows of a sample that are equal to counted
// rows by chance. If the sample and the counted rows are from the same population, as maxByChance
// assumes, the probability that a row of the sample is equal to a counted row is about the fraction
// of counted rows that are equal to another counted row. To estimate this fraction, two rows with
// and two rows without an equal row are added to the counts (A. Agresti and B. Coull, The American
// Statistician 52, 1998). Equal rows mostly occur in pairs, which doubles the variance of the
// fraction.
func (c *hashCounts) maxByChance(sample int) float64 {
	rows, copies := 0, 0
	for _, n := range c.rows {
		if rows += n; n > 1 {
			copies += n
		}
	}
	share := float64(copies+2) / float64(rows+4)
	variance := share * (1 - share) * (1/float64(sample) + 2/float64(max(rows, 1)))
	return float64(sample) * (share + minStandardErrors*math.Sqrt(variance))
}
