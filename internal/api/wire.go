package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// TimeLayout is the format of every timestamp: ISO 8601, UTC, seconds.
const TimeLayout = "2006-01-02T15:04:05Z"

// FormatTime returns t in the format of [TimeLayout].
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }

// Decimal is a number that the published API sends as a string: "0.91". It marshals as a string if
// Quoted is true, as in the responses of this server, and otherwise as a number. It unmarshals from
// both.
type Decimal struct {
	Value  float64 // NaN if it was not measured; NaN is null in JSON
	Quoted bool
}

// Threshold is a member of a request that is a number, or null for a race without a threshold. The
// zero value means that the member is absent.
type Threshold struct {
	// Value is from 0 to 1. Nil means no threshold.
	Value *float64
	// IsSet reports whether the request has the member.
	IsSet bool
}

// NewThreshold returns a Threshold that is set to value. A nil value means no threshold.
func NewThreshold(value *float64) Threshold { return Threshold{Value: value, IsSet: true} }

// ValidThreshold reports whether value is nil or from 0 to 1.
func ValidThreshold(value *float64) bool { return value == nil || *value >= 0 && *value <= 1 }

// MarshalJSON returns a number or null.
func (t Threshold) MarshalJSON() ([]byte, error) { return json.Marshal(t.Value) }

// UnmarshalJSON parses a number or null.
func (t *Threshold) UnmarshalJSON(b []byte) error {
	*t = Threshold{IsSet: true}
	return json.Unmarshal(b, &t.Value)
}

// NumberOrNil returns a pointer to v, or nil if v is NaN because it was not measured.
func NumberOrNil(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// MarshalJSON returns the shortest decimal that parses to the same value, as a string if Quoted is
// true. It returns null for NaN.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if math.IsNaN(d.Value) {
		return []byte("null"), nil
	}
	text := strconv.FormatFloat(d.Value, 'f', -1, 64)
	if d.Quoted {
		return strconv.AppendQuote(nil, text), nil
	}
	return []byte(text), nil
}

// UnmarshalJSON parses a number, a string that contains a number, or null.
func (d *Decimal) UnmarshalJSON(b []byte) error {
	text := string(bytes.Trim(b, `"`))
	if text == "" || text == "null" {
		*d = Decimal{Value: math.NaN()}
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("%s is not a decimal number", b)
	}
	*d = Decimal{Value: v}
	return nil
}

// DatasetEntries is the member `datasets` of a list of datasets. In the published API, it is a
// string that contains a JSON array. DatasetEntries marshals as such a string if Quoted is true,
// and otherwise as an array. It unmarshals from both.
type DatasetEntries struct {
	Items  []DatasetEntry
	Quoted bool
}

// MarshalJSON returns an array or, if e.Quoted is true, a string that contains the array.
func (e DatasetEntries) MarshalJSON() ([]byte, error) {
	items := e.Items
	if items == nil {
		items = []DatasetEntry{}
	}
	b, err := json.Marshal(items)
	if err != nil || !e.Quoted {
		return b, err
	}
	return jsontext.AppendQuote(make([]byte, 0, len(b)+len(b)/4), b)
}

// UnmarshalJSON parses an array, or a string that contains an array.
func (e *DatasetEntries) UnmarshalJSON(b []byte) error {
	e.Items, e.Quoted = nil, false
	if len(b) > 0 && b[0] == '"' {
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
		b = []byte(text)
	}
	return json.Unmarshal(b, &e.Items)
}
