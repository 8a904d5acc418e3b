package frame

import "bytes"

// DetectDelimiter as a Shape's Delimiter asks for the one of `,;|` and the
// tab that parts the first rows best.
const DetectDelimiter byte = 1

// detectBytes is what is read of a file to detect its delimiter.
const detectBytes = 64 << 10

// delimiters are those that are looked for, the best first.
const delimiters = ",;\t|"

// FindDelimiter returns the delimiter by which most of the sample's records
// have as many fields as the first; more fields are better, the comma is best.
// cut is set where the sample is not all of the file.
func FindDelimiter(sample []byte, cut bool) byte {
	best, most := byte(','), 0
	for _, delim := range []byte(delimiters) {
		if score := delimiterScore(sample, delim, cut); score > most {
			best, most = delim, score
		}
	}
	return best
}

func delimiterScore(sample []byte, delim byte, cut bool) int {
	const enough = 50
	reader := NewReader(bytes.NewReader(sample), delim)
	var lengths []int
	for len(lengths) < enough {
		rec, err := reader.Read()
		if err != nil {
			break
		}
		lengths = append(lengths, rec.Len())
	}
	if cut && len(lengths) > 1 && len(lengths) < enough {
		lengths = lengths[:len(lengths)-1] // the sample may end within it
	}
	alike := 0
	for _, n := range lengths {
		if n == lengths[0] {
			alike++
		}
	}
	if alike == 0 || 10*alike < 9*len(lengths) {
		return 0
	}
	return alike * (lengths[0] - 1)
}
