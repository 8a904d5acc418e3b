package tree

import "context"

// strip holds the bins of up to 64 features row by row, eight features to a
// word, so that all those of a row lie in one line of the cache:
//
//	row 0  | features 0 … 7 | 8 … 15 | 16 … 23 |
//	row 1  | features 0 … 7 | 8 … 15 | 16 … 23 |
type strip struct {
	words []uint64
	// width is the number of words a row, at most stripOcts.
	width int
}

// stripOcts is the largest number of words a row of a strip.
const stripOcts = 8

// byRow returns the strips of all features. They are made when they are first
// asked for.
func (b *Bins) byRow(ctx context.Context, workers int) ([]strip, error) {
	b.striping.Lock()
	defer b.striping.Unlock()
	if b.strips != nil {
		return b.strips, nil
	}
	octs := len(b.octs)
	strips := make([]strip, (octs+stripOcts-1)/stripOcts)
	for i := range strips {
		width := min(stripOcts, octs-i*stripOcts)
		strips[i] = strip{words: make([]uint64, b.Rows*width), width: width}
	}
	stretches := (b.Rows + packed - 1) / packed
	err := Parallel(ctx, workers, len(strips)*stretches, func(_, task int) {
		s, lo := task/stretches, task%stretches*packed
		for lane := range strips[s].width {
			strips[s].fill(lane, b.eight(s*stripOcts+lane), lo, min(lo+packed, b.Rows))
		}
	})
	if err != nil {
		return nil, err
	}
	b.strips = strips
	return strips, nil
}

// packed is the number of rows that are packed at a time: their words stay in a
// near cache.
const packed = 1 << 12

// nothing stands for the bins of features there are none of.
var nothing [packed]uint8

// fill packs rows lo…hi-1, packed at most, of up to eight features into the
// words of a lane.
func (s *strip) fill(lane int, features []Feature, lo, hi int) {
	var bins [8][]uint8
	for i := range bins {
		bins[i] = nothing[:hi-lo]
		if i < len(features) && features[i].Data != nil {
			bins[i] = features[i].Data[lo:hi]
		}
	}
	join(s.words[lo*s.width+lane:], s.width, &bins)
}

// join writes words of eight bytes each to dst[0], dst[stride] and so on.
func join(dst []uint64, stride int, bytes *[8][]uint8) {
	b0 := bytes[0]
	b1, b2, b3 := bytes[1][:len(b0)], bytes[2][:len(b0)], bytes[3][:len(b0)]
	b4, b5, b6, b7 := bytes[4][:len(b0)], bytes[5][:len(b0)], bytes[6][:len(b0)], bytes[7][:len(b0)]
	at := 0
	for i, b := range b0 {
		low := uint64(b) | uint64(b1[i])<<8 | uint64(b2[i])<<16 | uint64(b3[i])<<24
		high := uint64(b4[i]) | uint64(b5[i])<<8 | uint64(b6[i])<<16 | uint64(b7[i])<<24
		dst[at] = low | high<<32
		at += stride
	}
}
