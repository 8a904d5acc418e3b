// Package learningcurve forecasts the result and the duration of a race on a whole
// training file from races on samples of it.
package learningcurve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// MinRows is the number of rows below which a race takes about as long as races on
// samples.
const MinRows = 2000

// The rows of the samples: two sizes that differ by a factor show how the error falls,
// and both races take a few seconds.
const (
	smallSample = 250
	largeSample = 1000
)

// Sizes returns the sizes of the samples for a file with the given number of rows; nil if
// that is below MinRows. The larger is at most half the file.
func Sizes(rows int) []int {
	if rows < MinRows {
		return nil
	}
	return []int{smallSample, min(largeSample, rows/2)}
}

// Sample writes stratified samples of a file in canonical form, sizes[i] rows to dst[i],
// in one pass. classes are the file's, with their rows. Every class keeps its share of
// the rows, but at least two if it has them. The same file, sizes and seed give the same
// samples.
func Sample(ctx context.Context, src io.Reader, classes []profile.ValueCount, sizes []int, seed uint64, dst []io.Writer) error {
	reader := csvfile.NewReader(src, ',')
	samplers := make([]*sampler, len(sizes))
	for i, size := range sizes {
		samplers[i] = newSampler(classes, size, seed, dst[i])
	}
	for line := 0; ; line++ {
		if line&0x3FF == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return flushSamplers(samplers)
		case err != nil:
			return err
		case len(row.Fields) == 0:
			continue
		}
		label := row.Fields[len(row.Fields)-1]
		for _, s := range samplers {
			if line > 0 && !s.shouldDraw(label) {
				continue
			}
			_, _ = s.out.Write(row.Text) // an error stays for Flush
			_ = s.out.WriteByte('\n')
		}
	}
}

func flushSamplers(samplers []*sampler) error {
	for _, s := range samplers {
		if err := s.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// sampler draws one sample.
type sampler struct {
	out    *bufio.Writer
	random *rand.Rand
	strata map[string]*stratum
}

// stratum has the remaining rows of a class and how many of them to draw.
type stratum struct{ rows, wanted int }

func newSampler(classes []profile.ValueCount, size int, seed uint64, dst io.Writer) *sampler {
	rows := make([]int, len(classes))
	for i, c := range classes {
		rows[i] = c.Rows
	}
	s := &sampler{
		out: bufio.NewWriter(dst), random: rand.New(rand.NewPCG(seed, uint64(size))),
		strata: map[string]*stratum{},
	}
	for i, wanted := range stratifiedCounts(rows, size) {
		s.strata[classes[i].Text] = &stratum{rows: rows[i], wanted: wanted}
	}
	return s
}

// shouldDraw reports whether to draw the next row of a class: all remaining rows are equally
// likely to be among the wanted ones (Knuth, The Art of Computer Programming 2, 3.4.2,
// algorithm S).
func (s *sampler) shouldDraw(label []byte) bool {
	stratum := s.strata[string(label)]
	if stratum == nil || stratum.rows <= 0 {
		return false // more rows than were counted
	}
	take := s.random.IntN(stratum.rows) < stratum.wanted
	stratum.rows--
	if take {
		stratum.wanted--
	}
	return take
}
