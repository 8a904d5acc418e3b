package roles

import (
	"context"
	"io"
	"math"
	"strings"

	"foretell/internal/table/csvfile"
)

// FindMissingColumn returns the position of the column of the training file that is missing in a
// blind file with one column fewer. It compares the cells of the columns, and ignores the headers.
// If the cells do not show which column is missing, it returns the last column. If it cannot read
// the training file's header, it returns -1. Both files must be CSV with commas and a header.
func FindMissingColumn(ctx context.Context, train, blind io.Reader) (trainIndex int, err error) {
	have, err := readColumnSamples(ctx, train)
	if err != nil {
		return -1, err
	}
	other, err := readColumnSamples(ctx, blind)
	if err != nil || len(other)+1 != len(have) {
		return len(have) - 1, err
	}
	// If column k is missing, the columns before it match the blind file's columns at the same
	// positions. The columns after it match those one position to the left.
	last := len(have) - 1
	sum := 0.0
	for i := range other {
		sum += have[i].similarity(other[i])
	}
	best, most := last, sum+minSimilarityGain
	for k := last - 1; k >= 0; k-- {
		sum += have[k+1].similarity(other[k]) - have[k].similarity(other[k])
		if sum > most {
			best, most = k, sum
		}
	}
	return best, nil
}

// minSimilarityGain is the evidence needed to conclude that the missing column is not the last
// column, which is usually the label. For each column that may be missing, the similarities of the
// other columns are added up. This sum must exceed the sum for the last column by
// minSimilarityGain. Two equal columns have the similarity 1.
const minSimilarityGain = 0.25

// columnSample holds the cells of a column in the first maxSampleRows rows or maxSampleBytes bytes
// of a file. min and max are the range of its numbers, and texts holds its texts.
type columnSample struct {
	cells []string
	min   float64
	max   float64
	texts map[string]bool
}

// readColumnSamples reads the beginning of a CSV with a header. It stops at an unreadable
// row without an error.
func readColumnSamples(ctx context.Context, src io.Reader) ([]columnSample, error) {
	reader := csvfile.NewReader(src, ',')
	header, err := reader.Read()
	if err != nil {
		return nil, nil //nolint:nilerr // the scan of the file reports the error
	}
	columns := make([]columnSample, len(header.Fields))
	for i := range columns {
		columns[i] = columnSample{min: math.Inf(1), max: math.Inf(-1), texts: map[string]bool{}}
	}
	for rows, size := 0, 0; rows < maxSampleRows && size < maxSampleBytes; rows++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, err := reader.Read()
		if err != nil || len(rec.Fields) != len(columns) {
			break
		}
		for i := range columns {
			size += len(rec.Fields[i])
			columns[i].add(strings.TrimSpace(string(rec.Fields[i])))
		}
	}
	return columns, nil //nolint:nilerr // the scan of the file reports the error
}

func (c *columnSample) add(cell string) {
	c.cells = append(c.cells, cell)
	if n, ok := parseNumber(cell); ok {
		c.min, c.max = min(c.min, n), max(c.max, n)
		return
	}
	c.texts[cell] = true
}

// similarity returns the fraction of the cells of other that could be in column c: numbers in the
// range of c, and texts that occur in c.
func (c *columnSample) similarity(other columnSample) float64 {
	alike := 0
	for _, cell := range other.cells {
		if n, ok := parseNumber(cell); ok && n >= c.min && n <= c.max || !ok && c.texts[cell] {
			alike++
		}
	}
	if len(other.cells) == 0 {
		return 0
	}
	return float64(alike) / float64(len(other.cells))
}
