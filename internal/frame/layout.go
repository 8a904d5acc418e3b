package frame

import "bytes"

// dialect is how a file is written, as far as its beginning tells.
type dialect struct {
	delim    byte
	preamble int      // records before the header: titles and remarks
	header   bool     // the first record names the columns
	rowNames bool     // and not the first one, as R writes tables
	names    []string // as they stand in the file, without spaces around
	line     int      // of the header
	sample   [][][]byte
}

// The rules by which a file's beginning is read.
const (
	sniffedRows  = 1000
	mostPreamble = 20
)

// sniff finds out how a file is written. delim is DetectDelimiter, or what the
// user says; cut tells that the file goes on behind the sample.
func sniff(sample []byte, cut bool, delim byte) (dialect, error) {
	if delim == 0 || delim == DetectDelimiter {
		delim = FindDelimiter(sample[:min(len(sample), sampleSize)], cut || len(sample) > sampleSize)
		if delim == ',' {
			delim = behindPreamble(sample, cut)
		}
	}
	l := dialect{delim: delim, header: true}
	records, err := readSample(sample, cut, delim)
	if len(records) == 0 {
		return l, orEmpty(err)
	}
	usual := usualLength(records)
	if n := len(records[0]); n == usual-1 {
		l.rowNames = n >= blindColumns && startsRows(records[1:], usual)
	} else {
		l.preamble = titles(records, usual)
	}
	for _, field := range records[l.preamble] {
		l.names = append(l.names, string(trim(field)))
	}
	if l.rowNames {
		l.names = append([]string{""}, l.names...)
	}
	numbers := table{names: l.names}
	l.header = !numbers.allNumbers()
	l.sample = records[l.preamble+1:]
	return l, nil
}

// titles returns how many records stand before the header: those with hardly a
// field, up to one that has as many as most.
func titles(records [][][]byte, usual int) int {
	for at, record := range records[:min(len(records), mostPreamble+1)] {
		filled := 0
		for _, field := range record {
			if !isBlank(field) {
				filled++
			}
		}
		switch {
		case len(record) == usual && 2*filled > usual:
			return at
		case 2*filled > usual+1:
			return 0
		}
	}
	return 0
}

// behindPreamble returns the delimiter of a file whose first lines are no table.
func behindPreamble(sample []byte, cut bool) byte {
	best, most := byte(','), 0
	for _, delim := range []byte(delimiters) {
		records, _ := readSample(sample, cut, delim) // what it has is enough
		usual, alike := usualLength(records), 0
		for _, record := range records {
			if len(record) == usual {
				alike++
			}
		}
		if score := alike * (usual - 1); usual > 1 && 10*alike >= 8*len(records) && score > most {
			best, most = delim, score
		}
	}
	return best
}

// readSample returns the first records of a sample.
func readSample(sample []byte, cut bool, delim byte) (records [][][]byte, err error) {
	reader := newLenient(bytes.NewReader(sample), delim, func(string, int, int) {})
	for len(records) < sniffedRows {
		var fields [][]byte
		if fields, _, err = reader.next(); err != nil {
			break
		}
		record := make([][]byte, len(fields))
		for i, field := range fields {
			record[i] = bytes.Clone(field)
		}
		records = append(records, record)
	}
	if cut && finished(err) && len(records) > 1 {
		records = records[:len(records)-1] // the sample may end within it
	}
	return records, err
}

// usualLength returns the most frequent number of fields, the largest of those.
func usualLength(records [][][]byte) int {
	counts, best := map[int]int{}, 0
	for _, record := range records {
		counts[len(record)]++
	}
	for n, rows := range counts {
		if rows > counts[best] || rows == counts[best] && n > best {
			best = n
		}
	}
	return best
}

// startsRows reports whether every row has a first field of its own, and not an
// empty last one, which a delimiter at the end of each line would make.
func startsRows(records [][][]byte, usual int) bool {
	seen := map[string]bool{}
	for _, record := range records {
		if len(record) != usual {
			continue
		}
		first := string(record[0])
		if seen[first] || isBlank(record[0]) {
			return false
		}
		seen[first] = true
	}
	last := func(record [][]byte) bool { return len(record) == usual && !isBlank(record[usual-1]) }
	for _, record := range records {
		if last(record) {
			return true
		}
	}
	return false
}
