package frame

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStoredSchema checks that DecodeStored reads what EncodeStored and earlier programs store. It
// also checks which schemas are rejected by programs that read a schema as a JSON object: those
// with differences of dates.
func TestStoredSchema(t *testing.T) {
	withDates := dateSchema()
	plain := &Schema{ID: "id", Label: "y", Columns: []ColumnSchema{{Name: "a"}}, Classes: []string{"no", "yes"}}
	for _, want := range []*Schema{withDates, plain} {
		stored, err := want.EncodeStored()
		if err != nil {
			t.Fatal(err)
		}
		object, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range [][]byte{stored, object} {
			got, err := DecodeStored(b)
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Errorf("%s: %v\n%s", b, err, d)
			}
		}
		var asObject Schema
		if err := json.Unmarshal(stored, &asObject); (err != nil) != (want == withDates) {
			t.Errorf("a program that reads objects gets the error %v for %s", err, stored)
		}
	}
	if _, err := DecodeStored([]byte("[")); err == nil {
		t.Error("a damaged schema is accepted")
	}
}
