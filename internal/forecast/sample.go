// Package forecast rehearses a race: it draws samples of a training file, and
// tells from how races on them went what the race on all of it will give, and
// how long that will take.
package forecast

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"

	"foretell/internal/frame"
)

// Least is the number of rows under which a race takes about as long as a
// rehearsal would.
const Least = 2000

// The rows of a rehearsal's samples: two that are a factor apart show how the
// error falls, and are raced through in a few seconds.
const (
	smaller = 250
	larger  = 1000
)

// Sizes are the rows of the samples for a file of so many rows, none if that is
// under Least. The larger is at most half the file.
func Sizes(rows int) []int {
	if rows < Least {
		return nil
	}
	return []int{smaller, min(larger, rows/2)}
}

// Draw writes stratified samples of a file in the shape of the contract, one of
// each size to each of dst, in one pass. classes are the file's, with their
// rows. Every class keeps its part of the rows, and two at least if it has them.
// The same file, sizes and seed give the same samples.
func Draw(ctx context.Context, src io.Reader, classes []frame.ValueCount, sizes []int, seed uint64, dst []io.Writer) error {
	reader := frame.NewReader(src, ',')
	draws := make([]*draw, len(sizes))
	for i, size := range sizes {
		draws[i] = newDraw(classes, size, seed, dst[i])
	}
	for line := 0; ; line++ {
		if line&0x3FF == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return finish(draws)
		case err != nil:
			return err
		case row.Len() == 0:
			continue
		}
		label := row.Field(row.Len() - 1)
		for _, d := range draws {
			if line > 0 && !d.takes(label) {
				continue
			}
			_, _ = d.out.Write(row.Raw()) // an error stays for Flush
			_ = d.out.WriteByte('\n')
		}
	}
}

func finish(draws []*draw) error {
	for _, d := range draws {
		if err := d.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// draw is one sample being drawn.
type draw struct {
	out    *bufio.Writer
	random *rand.Rand
	strata map[string]*stratum
}

// stratum is what is still to come of a class.
type stratum struct{ rows, wanted int }

func newDraw(classes []frame.ValueCount, size int, seed uint64, dst io.Writer) *draw {
	rows := make([]int, len(classes))
	for i, c := range classes {
		rows[i] = c.Rows
	}
	d := &draw{
		out: bufio.NewWriter(dst), random: rand.New(rand.NewPCG(seed, uint64(size))),
		strata: map[string]*stratum{},
	}
	for i, wanted := range scaled(rows, size) {
		d.strata[classes[i].Text] = &stratum{rows: rows[i], wanted: wanted}
	}
	return d
}

// takes decides on the next row of a class: each of those to come is as likely
// as the others to be among the wanted ones (Knuth, The Art of Computer
// Programming 2, 3.4.2, algorithm S).
func (d *draw) takes(label []byte) bool {
	s := d.strata[string(label)]
	if s == nil || s.rows <= 0 {
		return false // more rows than were counted
	}
	take := d.random.IntN(s.rows) < s.wanted
	s.rows--
	if take {
		s.wanted--
	}
	return take
}
