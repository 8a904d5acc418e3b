package csvfile

import "bytes"

// AutoDelimiter is the value of a delimiter that must be detected with FindDelimiter.
const AutoDelimiter byte = 1

// DelimiterSampleBytes is the number of bytes that are read to detect the delimiter.
const DelimiterSampleBytes = 64 << 10

// Delimiters are the delimiters that FindDelimiter tries, in the order of preference.
const Delimiters = ",;\t|"

// FindDelimiter returns the delimiter of a sample. A delimiter is possible if it splits at least
// nine of ten records into as many fields as the first record. FindDelimiter returns the possible
// delimiter with the most fields, or the comma if no delimiter splits the records. truncated is set
// if the sample is not the whole file.
func FindDelimiter(sample []byte, truncated bool) byte {
	best, most := byte(','), 0
	for _, delim := range []byte(Delimiters) {
		if score := delimiterScore(sample, delim, truncated); score > most {
			best, most = delim, score
		}
	}
	return best
}

func delimiterScore(sample []byte, delim byte, truncated bool) int {
	const enough = 50
	reader := NewReader(bytes.NewReader(sample), delim)
	var lengths []int
	for len(lengths) < enough {
		rec, err := reader.Read()
		if err != nil {
			break
		}
		lengths = append(lengths, len(rec.Fields))
	}
	if truncated && len(lengths) > 1 && len(lengths) < enough {
		lengths = lengths[:len(lengths)-1] // the sample may end within the last record
	}
	matching := 0
	for _, n := range lengths {
		if n == lengths[0] {
			matching++
		}
	}
	if matching == 0 || 10*matching < 9*len(lengths) {
		return 0
	}
	return matching * (lengths[0] - 1)
}
