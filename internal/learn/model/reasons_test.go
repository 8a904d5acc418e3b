package model_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/learn/model"
	"foretell/internal/table/result"
)

// TestPredictWithReasons checks that the reasons of a result are the largest
// contributions, with the cells of the file.
func TestPredictWithReasons(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("trains several models")
	}
	f := explainFrame(120, 3, 5)
	m := model.New(trainedParts(t, f, 0)[model.Blend])
	f = f.Take(rowNumbers(40))
	want, err := m.Explain(t.Context(), f, model.ExplainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var blind strings.Builder
	w := csv.NewWriter(&blind)
	names := []string{"id"}
	for i := range f.Schema.Columns {
		names = append(names, f.Schema.Columns[i].Name)
	}
	_ = w.Write(names)
	for row := range f.Rows {
		fields := []string{fmt.Sprint("row", row)}
		for i := range f.Columns {
			switch {
			case f.Columns[i].Codes != nil:
				fields = append(fields, f.Schema.Columns[i].Levels[f.Columns[i].Codes[row]])
			case math.IsNaN(f.Columns[i].Floats[row]):
				fields = append(fields, "")
			default:
				fields = append(fields, strconv.FormatFloat(f.Columns[i].Floats[row], 'g', -1, 64))
			}
		}
		_ = w.Write(fields)
	}
	w.Flush()
	const reasons = 2
	var first []byte
	for _, workers := range []int{1, 4} {
		var out bytes.Buffer
		if _, err := m.Predict(t.Context(), strings.NewReader(blind.String()), &out, model.PredictOptions{Reasons: reasons, Workers: workers}); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out.Bytes()
		} else if !bytes.Equal(first, out.Bytes()) {
			t.Error("the result depends on the number of workers")
		}
	}
	if rows, err := result.Verify(t.Context(), strings.NewReader(blind.String()), bytes.NewReader(first), nil); err != nil || rows != f.Rows {
		t.Errorf("verified %d rows: %v", rows, err)
	}
	records, err := csv.NewReader(bytes.NewReader(first)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	width := len(records[0])
	if records[0][width-2] != "reason_1" || records[0][width-1] != "reason_2" {
		t.Errorf("header %q", records[0])
	}
	form := regexp.MustCompile(`^([^=]+)=(.*) \(([+-]\d\.\d{4})\)$`)
	for row, x := range want {
		largest := x.LargestContributions(reasons)
		for i := range reasons {
			cell := records[row+1][width-reasons+i]
			if i >= len(largest) {
				if cell != "" {
					t.Errorf("row %d: reason %q", row, cell)
				}
				continue
			}
			parts := form.FindStringSubmatch(cell)
			column := largest[i]
			if parts == nil || parts[1] != names[column+1] || parts[2] != records[row+1][column+1] || parts[3] != fmt.Sprintf("%+.4f", x.Contributions[column]) {
				t.Errorf("row %d: reason %q, want column %s with %+.4f", row, cell, names[column+1], x.Contributions[column])
			}
		}
	}
}
