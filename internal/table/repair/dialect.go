package repair

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// dialect is the format of a file, inferred from its beginning.
type dialect struct {
	delim       byte
	preamble    int        // number of records before the header, such as those of a title
	hasHeader   bool       // the first record after the preamble has the names of the columns
	hasRowNames bool       // the header has no name for the first column, as in files written by R
	names       []string   // the header, trimmed; without a header, the first row with the usual number of fields
	line        int        // the line of the header
	sample      [][][]byte // the first rows after the header
}

// The largest number of records that sniffDialect reads, and of records before the
// header.
const (
	maxSniffedRows = 1000
	maxPreamble    = 20
)

// sniffDialect infers the dialect of a file from sample, its beginning. The delimiter of layout is
// csvfile.AutoDelimiter or the delimiter that the user has specified. truncated is set if the file
// continues after the sample.
func sniffDialect(sample []byte, truncated bool, layout *Layout) (dialect, error) {
	delim := layout.Delimiter
	if delim == 0 || delim == csvfile.AutoDelimiter {
		delim = csvfile.FindDelimiter(sample[:min(len(sample), csvfile.DelimiterSampleBytes)], truncated || len(sample) > csvfile.DelimiterSampleBytes)
		if delim == ',' {
			delim = delimiterAfterPreamble(sample, truncated)
		}
	}
	d := dialect{delim: delim, hasHeader: true}
	records, err := readSample(sample, truncated, delim)
	if len(records) == 0 {
		return d, emptyFileError(err)
	}
	if layout.NoHeader {
		d.hasHeader, d.sample = false, records
		// A title above the rows is a row with too few fields. It does not determine the number of
		// columns.
		for _, field := range records[preambleLength(records, modalLength(records))] {
			d.names = append(d.names, string(cells.Trim(field)))
		}
		return d, nil
	}
	usual := modalLength(records)
	if n := len(records[0]); n == usual-1 {
		d.hasRowNames = n >= csvfile.MinBlindColumns && hasRowNames(records, usual)
	} else {
		d.preamble = preambleLength(records, usual)
	}
	for _, field := range records[d.preamble] {
		d.names = append(d.names, string(cells.Trim(field)))
	}
	if d.hasRowNames {
		d.names = append([]string{""}, d.names...)
	}
	d.hasHeader = !csvfile.IsHeaderNumeric(d.names)
	d.sample = records[d.preamble+1:]
	return d, nil
}

// NoRowFits reports whether none of the first rows of a training file has as many fields as its
// header. File rejects such a file, because it can only align rows if there are other rows whose
// number of fields is right.
func NoRowFits(src io.Reader, layout *Layout) bool {
	d, err := readDialect(bufio.NewReaderSize(src, sniffBytes), layout)
	if err != nil || len(d.sample) == 0 {
		return false
	}
	return !slices.ContainsFunc(d.sample, func(row [][]byte) bool { return len(row) == len(d.names) && !isBlankRow(row) })
}

// HeaderBelowTitle returns the names in the header of a file if File leaves out rows above it, such as a
// title. If there are no such rows, or the file cannot be read, it returns nil.
func HeaderBelowTitle(src io.Reader, layout *Layout) []string {
	d, err := readDialect(bufio.NewReaderSize(src, sniffBytes), layout)
	if err != nil || d.preamble == 0 || layout.NoHeader {
		return nil
	}
	return d.names
}

// readDialect infers the dialect of a file from its first sniffBytes bytes. It only peeks at these
// bytes, so that head still returns them afterwards. The buffer of head must have at least
// sniffBytes bytes.
func readDialect(head *bufio.Reader, layout *Layout) (dialect, error) {
	sample, _ := head.Peek(sniffBytes) // a later Read returns the error
	return sniffDialect(sample, len(sample) == sniffBytes, layout)
}

// preambleLength returns the number of records before the header. The header is the first record
// with the usual number of fields; the records before it must have few non-blank fields.
func preambleLength(records [][][]byte, usual int) int {
	for at, record := range records[:min(len(records), maxPreamble+1)] {
		filled := 0
		for _, field := range record {
			if !cells.IsBlank(field) {
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

// delimiterAfterPreamble returns the delimiter of a file in which other lines may precede the
// table. sample is the beginning of the file. truncated is set if the file continues after the
// sample.
func delimiterAfterPreamble(sample []byte, truncated bool) byte {
	best, most := byte(','), 0
	for _, delim := range []byte(csvfile.Delimiters) {
		records, _ := readSample(sample, truncated, delim) // after an error, the records before it are used
		usual, matching := modalLength(records), 0
		for _, record := range records {
			if len(record) == usual {
				matching++
			}
		}
		if score := matching * (usual - 1); usual > 1 && 10*matching >= 8*len(records) && score > most {
			best, most = delim, score
		}
	}
	return best
}

func readSample(sample []byte, truncated bool, delim byte) (records [][][]byte, err error) {
	reader := csvfile.NewLenientReader(bytes.NewReader(sample), delim, func(string, int, int) {})
	for len(records) < maxSniffedRows {
		var fields [][]byte
		if fields, _, err = reader.Next(); err != nil {
			break
		}
		record := make([][]byte, len(fields))
		for i, field := range fields {
			record[i] = bytes.Clone(field)
		}
		records = append(records, record)
	}
	if truncated && errors.Is(err, io.EOF) && len(records) > 1 {
		records = records[:len(records)-1] // the sample may end within the last record
	}
	return records, err
}

// modalLength returns the most frequent number of fields of a record. If several numbers
// are equally frequent, it returns the largest.
func modalLength(records [][][]byte) int {
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

// hasRowNames reports whether the first column contains row names: whether its fields are unique
// and not blank. The last column must not be empty, because an empty last column means that each
// line ends with a delimiter. If the header begins with a word for an ID, such as id, the fields of
// the second column must also be unique. If they are not, the word is the name of the first column,
// and the rows have an additional field for another reason, such as decimal commas without quotes.
// records includes the header. Records that do not have the usual number of fields are ignored.
func hasRowNames(records [][][]byte, usual int) bool {
	seen, seenSecond := map[string]bool{}, map[string]bool{}
	isSecondID, hasLast := csvfile.IsIDWord(string(cells.Trim(records[0][0]))), false
	for _, record := range records {
		if len(record) != usual {
			continue
		}
		first, second := string(record[0]), string(record[1])
		if seen[first] || cells.IsBlank(record[0]) || isSecondID && seenSecond[second] {
			return false
		}
		seen[first], seenSecond[second] = true, true
		hasLast = hasLast || !cells.IsBlank(record[usual-1])
	}
	return hasLast
}
