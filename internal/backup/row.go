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

// encodeRow writes an array of values as one line of JSON. A value is an int64, a float64,
// a string or nil.
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
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(line)
}

// formatFloat returns a number in a form that decodeRow does not take for an integer.
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

// readRows calls fn with the columns of a table, and with its rows in groups of at most
// groupRows.
func readRows(r io.Reader, groupRows int, fn func(columns []string, rows [][]any) error) (n int64, err error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	var columns []string
	var rows [][]any
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		if err != nil {
			return n, err
		}
		if columns == nil {
			if err := json.Unmarshal(line, &columns); err != nil {
				return n, damaged(err)
			}
			continue
		}
		row, err := decodeRow(line)
		if err != nil {
			return n, damaged(err)
		}
		n++
		if rows = append(rows, row); len(rows) == groupRows {
			if err := fn(columns, rows); err != nil {
				return n, err
			}
			rows = nil
		}
	}
	return n, fn(columns, rows)
}
