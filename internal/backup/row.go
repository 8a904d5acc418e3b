package backup

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// encodeRow writes an array of values as one line of JSON. A value is an int64, a float64, a string, a
// []byte, which is encoded as a string, or nil.
func encodeRow(w io.Writer, values []any) error {
	line := make([]any, len(values))
	for i, value := range values {
		line[i] = value
		switch v := value.(type) {
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%v cannot be stored as JSON", v)
			}
			line[i] = json.RawMessage(formatFloat(v))
		case []byte:
			line[i] = string(v)
		case bool:
			return errors.New("a boolean column")
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return err
	}
	if text.Len() > maxRowBytes {
		return fmt.Errorf("a row exceeds %d bytes", maxRowBytes)
	}
	_, err := text.WriteTo(w)
	return err
}

// formatFloat formats a number with a decimal point or an exponent, so that decodeRow decodes
// it as a float64 and not as an int64.
func formatFloat(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// decodeRow is the inverse of encodeRow.
func decodeRow(line []byte) ([]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var values []any
	if err := decoder.Decode(&values); err != nil {
		return nil, err
	}
	for i, value := range values {
		switch v := value.(type) {
		case json.Number:
			number, err := parseNumber(v.String())
			if err != nil {
				return nil, err
			}
			values[i] = number
		case string, nil:
		default:
			return nil, fmt.Errorf("value %d is neither a number, a text nor null", i+1)
		}
	}
	return values, nil
}

func parseNumber(text string) (any, error) {
	if strings.ContainsAny(text, ".eE") {
		return strconv.ParseFloat(text, 64)
	}
	return strconv.ParseInt(text, 10, 64)
}

// maxRowBytes is the maximum size in bytes of a row in a backup, encoded as JSON.
const maxRowBytes = 1 << 28

// readLine returns the next line, including its line feed. If r ends before a line feed, it returns
// the rest and io.EOF. For a line of more than limit bytes, it returns ErrDamaged.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, fmt.Errorf("%w: a line exceeds %d bytes", ErrDamaged, limit)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// readRows reads the rows of a table from r. It calls fn with the names of the columns and at most
// groupSize rows at a time. n is the number of rows.
func readRows(r io.Reader, groupSize int, fn func(columns []string, rows [][]any) error) (n int64, err error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	var columns []string
	var rows [][]any
	for {
		line, err := readLine(lines, maxRowBytes)
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		if err != nil {
			return n, err
		}
		if columns == nil {
			if err := json.Unmarshal(line, &columns); err != nil {
				return n, damagedError(err)
			}
			continue
		}
		row, err := decodeRow(line)
		if err != nil {
			return n, damagedError(err)
		}
		n++
		if rows = append(rows, row); len(rows) == groupSize {
			if err := fn(columns, rows); err != nil {
				return n, err
			}
			rows = nil
		}
	}
	return n, fn(columns, rows)
}
