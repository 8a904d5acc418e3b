package api

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     float64
	}{
		{"string", `"0.9125"`, 0.9125},
		{"number", `0.9125`, 0.9125},
		{"exponent", `"1e-3"`, 0.001},
		{"empty_string_is_unmeasured", `""`, math.NaN()},
		{"null_is_unmeasured", `null`, math.NaN()},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d Decimal
			if err := json.Unmarshal([]byte(c.in), &d); err != nil {
				t.Fatal(err)
			}
			if same := d.Value == c.want || math.IsNaN(d.Value) && math.IsNaN(c.want); !same || d.Quoted {
				t.Errorf("got %+v, want the unquoted value %v", d, c.want)
			}
		})
	}
	for _, in := range []string{`"many"`, `"NaN"`, `"-Inf"`, `true`, `{}`} {
		var d Decimal
		if err := json.Unmarshal([]byte(in), &d); err == nil {
			t.Errorf("%s read as %+v", in, d)
		}
	}
}

// The server quotes values; a client unquotes them.
func TestQuotes(t *testing.T) {
	type body struct {
		Performance Decimal        `json:"achievedPerformance"`
		Datasets    DatasetEntries `json:"datasets"`
	}
	entries := []DatasetEntry{{DatasetKey: "k", DatasetName: `a "quoted" name`, Status: DatasetPending}}
	sent, err := json.Marshal(body{Decimal{0.5, true}, DatasetEntries{entries, true}})
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := json.Unmarshal(sent, &raw); err != nil {
		t.Fatal(err)
	}
	for name, value := range raw {
		if _, ok := value.(string); !ok {
			t.Errorf("%s is sent as %v: want a string", name, value)
		}
	}
	var read body
	if err := json.Unmarshal(sent, &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(body{Decimal{Value: 0.5}, DatasetEntries{Items: entries}}, read); diff != "" {
		t.Errorf("-want +read:\n%s", diff)
	}
	printed, err := json.Marshal(DatasetEntries{})
	if string(printed) != "[]" || err != nil {
		t.Errorf("no entries print as %s, %v: want []", printed, err)
	}
}

// TestDatasetPage compares the JSON of a page with that of a struct with the same fields.
func TestDatasetPage(t *testing.T) {
	name := "<ä> & \u2028 \xff \\ \"quoted\""
	entries := []DatasetEntry{{DatasetKey: "k", DatasetName: name, Description: &name}, {DatasetKey: "l", Bytes: 7}}
	for _, quoted := range []bool{false, true} {
		for _, items := range [][]DatasetEntry{nil, entries} {
			page := DatasetPage{Datasets: DatasetEntries{items, quoted}, Page: Page{Offset: 2, Limit: 3}}
			page.SetTotalAndNext(9)
			type fields DatasetPage // without its method
			want, errWant := json.Marshal(fields(page))
			got, err := page.MarshalJSON()
			if string(got) != string(want) || err != nil || errWant != nil {
				t.Errorf("%s, %v: want %s, %v", got, err, want, errWant)
			}
		}
	}
}

func TestOperations(t *testing.T) {
	ids, routes := map[string]bool{}, map[string]bool{}
	for _, op := range Operations() {
		if ids[op.ID] || routes[op.Method+op.Path] {
			t.Errorf("%s %s %s is there twice", op.ID, op.Method, op.Path)
		}
		ids[op.ID], routes[op.Method+op.Path] = true, true
		if op.Summary == "" || op.Status == 0 || op.Origin == "" {
			t.Errorf("%s: summary, status or origin is missing", op.ID)
		}
	}
}

func FuzzDatasetEntries(f *testing.F) {
	f.Add([]byte(`"[{\"datasetKey\":\"k\"}]"`))
	f.Add([]byte(`[{"datasetKey":"k","description":null}]`))
	f.Add([]byte(`"["`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var entries, again DatasetEntries
		if json.Unmarshal(in, &entries) != nil {
			return
		}
		b, err := json.Marshal(entries)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &again); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if diff := cmp.Diff(len(entries.Items), len(again.Items)); diff != "" {
			t.Error(diff)
		}
	})
}
