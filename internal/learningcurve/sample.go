// Package learningcurve forecasts the result and the duration of a race on a
// whole training file from races on samples of it.
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

// MinRows is the smallest number of rows of a file for which there is a forecast. With
// fewer rows, a race on all rows takes about as long as the races on samples.
const MinRows = 2000

// The numbers of rows of the two samples. They differ enough to show how the
// error falls, and both races take only a few seconds.
const (
	smallSampleRows = 250
	largeSampleRows = 1000
)

// SampleSizes returns the sizes of the samples for a file with the given number of rows, or nil if
// rows is below MinRows. The larger sample has at most half of the rows.
func SampleSizes(rows int) []int {
	if rows < MinRows {
		return nil
	}
	return []int{smallSampleRows, min(largeSampleRows, rows/2)}
}

// WriteSamples writes stratified samples of src: sizes[i] rows to dst[i], in one pass. src is a CSV
// in canonical form: in UTF-8, with commas between the fields, and with the label in the last
// column. classes holds the file's classes with their numbers of rows. A sample has the class
// proportions of the file, but at least two rows of each class that has at least two in the file.
// The samples depend only on the file, sizes and seed.
func WriteSamples(ctx context.Context, src io.Reader, classes []profile.ValueCount, sizes []int, seed uint64, dst []io.Writer) error {
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
			if line > 0 && !s.drawNext(label) {
				continue
			}
			_, _ = s.out.Write(row.Text) // Flush returns the error
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

// stratum describes one class. rows is the number of its rows that have not yet been read. toDraw
// is the number of these rows that must be drawn.
type stratum struct{ rows, toDraw int }

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
		s.strata[classes[i].Text] = &stratum{rows: rows[i], toDraw: wanted}
	}
	return s
}

// drawNext decides at random whether the next row of a class is in the
// sample. All remaining rows of the class are equally likely to be drawn
// (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S).
func (s *sampler) drawNext(label []byte) (drawn bool) {
	stratum := s.strata[string(label)]
	if stratum == nil || stratum.rows <= 0 {
		return false // src has more rows of the class than the class counts say
	}
	take := s.random.IntN(stratum.rows) < stratum.toDraw
	stratum.rows--
	if take {
		stratum.toDraw--
	}
	return take
}
