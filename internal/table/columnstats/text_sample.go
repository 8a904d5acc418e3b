package columnstats

import (
	"math/bits"

	"foretell/internal/table/cells"
)

// textSample keeps a sample of the distinct texts of a column in bounded memory, and counts all
// rows of these texts. The sample consists of the texts whose hashes end in at least zeroBits zero
// bits, so it does not depend on the order of the rows. When the texts take more than maxBytes,
// zeroBits increases by one, and about half of the texts are dropped.
type textSample struct {
	counts   valueCounts // never evicts texts
	zeroBits uint
	maxBytes int
}

// newTextSample returns a sample of values, which must contain every distinct text so far. The
// texts of the sample take at most maxBytes bytes; see resampleFrom.
func newTextSample(values []Value, maxBytes int) *textSample {
	s := &textSample{maxBytes: maxBytes}
	s.resampleFrom(values)
	return s
}

func (s *textSample) isSampled(hash uint64) bool { return hash&(1<<s.zeroBits-1) == 0 }

// add counts a row with the text in cell if the text is sampled. hash is the hash of cell.
func (s *textSample) add(cell []byte, hash uint64, line int) {
	if !s.isSampled(hash) {
		return
	}
	s.counts.add(cell, hash, line)
	if s.counts.bytes > s.maxBytes {
		s.resampleFrom(s.counts.values)
	}
}

// resampleFrom sets the sample to the values whose hashes end in zeroBits zero bits. It increases
// zeroBits until these values fit in maxBytes, but not so far that no text would be left.
func (s *textSample) resampleFrom(values []Value) {
	var sizes [65]int // sizes of texts, by the number of zero bits at the end of the hash
	for i := range values {
		sizes[bits.TrailingZeros64(values[i].hash)] += valueBytes + len(values[i].Text)
	}
	size := 0
	for _, one := range sizes[s.zeroBits:] {
		size += one
	}
	for size > s.maxBytes && size > sizes[s.zeroBits] {
		size -= sizes[s.zeroBits]
		s.zeroBits++
	}
	var kept []Value
	for i := range values {
		if s.isSampled(values[i].hash) {
			kept = append(kept, values[i])
		}
	}
	s.counts.replace(kept)
}

// estimate returns the sampled texts, with their numbers of rows scaled up so that their sum is
// about the number of rows of all texts.
func (s *textSample) estimate() []Value {
	list := make([]Value, len(s.counts.values))
	for i, one := range s.counts.values {
		one.Rows <<= s.zeroBits
		list[i] = one
	}
	return list
}

// minReadableTexts is the smallest fraction of dates, amounts and numbers in a sample of texts for
// which areDatesOrAmounts returns true.
const minReadableTexts = 0.5

// maxExaminedTexts is the largest number of texts that areDatesOrAmounts examines.
const maxExaminedTexts = 1_000

// areDatesOrAmounts reports whether many texts of the sample are dates, amounts or plain numbers.
func (s *textSample) areDatesOrAmounts() bool {
	texts, readable := 0, 0
	for _, one := range s.counts.values[:min(len(s.counts.values), maxExaminedTexts)] {
		r := interpret([]byte(one.Text))
		isDate := r.isMonthFirst || r.isDayFirst
		switch {
		case isDate || one.Kind == cells.Number || one.Kind == cells.Text && (r.isPoint || r.isComma):
			texts++
			readable++
		case one.Kind == cells.Text:
			texts++
		}
	}
	return readable > 0 && float64(readable) >= minReadableTexts*float64(texts)
}
