package csvfile

import "bytes"

// AutoDelimiter stands for a delimiter that must be detected with FindDelimiter.
const AutoDelimiter byte = 1

// DelimiterSampleBytes is the number of bytes that are read to detect the delimiter.
const DelimiterSampleBytes = 64 << 10

// Delimiters are the delimiters that FindDelimiter tries, in the order of preference.
const Delimiters = ",;\t|"

// FindDelimiter returns the delimiter of a sample. A delimiter is possible if it splits at least
// nine of ten records into as many fields as the first record. Of several possible delimiters,
// FindDelimiter returns the one that splits the records into the most fields, but prefers any other
// delimiter to commas that seem to separate decimals. If no delimiter is possible, FindDelimiter
// considers delimiters with which the first record has one field fewer than the other records, as
// in files that R has written with row names. If no delimiter fits in this way either, it returns the comma.
// truncated is set if the sample is not the whole file.
func FindDelimiter(sample []byte, truncated bool) byte {
	best, most := bestDelimiter(sample, truncated, 0)
	if most == 0 {
		best, _ = bestDelimiter(sample, truncated, 1)
	}
	return best
}

// bestDelimiter returns the delimiter with the highest delimiterScore, and this score. If no
// delimiter is possible, it returns the comma and 0. For unnamed, see delimiterScore; for
// truncated, see FindDelimiter.
func bestDelimiter(sample []byte, truncated bool, unnamed int) (best byte, most int) {
	best = ','
	for _, delim := range []byte(Delimiters) {
		score := delimiterScore(sample, delim, truncated, unnamed)
		if score > most || score > 0 && best == ',' && haveDecimalCommas(sample, delim) {
			best, most = delim, score
		}
	}
	return best, most
}

// haveDecimalCommas reports whether the commas of a sample with another delimiter separate
// decimals, as in 5,1;3,5;setosa. At least nine of ten commas must be between two digits and be the
// first comma in their field.
func haveDecimalCommas(sample []byte, delim byte) bool {
	isDigit := func(at int) bool { return at >= 0 && at < len(sample) && '0' <= sample[at] && sample[at] <= '9' }
	commas, decimal, inField := 0, 0, 0
	for at, char := range sample {
		switch char {
		case delim, '\n', '\r':
			inField = 0
		case ',':
			commas, inField = commas+1, inField+1
			if inField == 1 && isDigit(at-1) && isDigit(at+1) {
				decimal++
			}
		}
	}
	return delim != ',' && commas > 0 && 10*decimal >= 9*commas
}

// delimiterScore returns 0 if a delimiter is not possible, and otherwise a number that is higher
// for more fields. unnamed is 1 if the first record must have one field fewer than the other
// records, as in files with row names, and 0 if it must have the same number. For truncated, see
// FindDelimiter.
func delimiterScore(sample []byte, delim byte, truncated bool, unnamed int) int {
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
	if len(lengths) <= unnamed {
		return 0
	}
	matching, first := 0, lengths[0]
	lengths = lengths[unnamed:]
	for _, n := range lengths {
		if n == first+unnamed {
			matching++
		}
	}
	if 10*matching < 9*len(lengths) {
		return 0
	}
	return matching * (first - 1)
}
