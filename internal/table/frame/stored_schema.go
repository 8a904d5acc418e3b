package frame

import (
	"bytes"
	"encoding/json"
)

// EncodeStored returns s in the form in which it is stored with a dataset: its JSON. If s has a
// feature with ExtractSince, the form is an array with the JSON as its only element. Older
// versions of this program do not know ExtractSince, and cannot read the array. Without the
// array, they would train with a column without values.
func (s *Schema) EncodeStored() ([]byte, error) {
	b, err := json.Marshal(s)
	if err == nil && len(s.Differences()) > 0 {
		b = append(append([]byte{'['}, b...), ']')
	}
	return b, err
}

// DecodeStored is the inverse of EncodeStored. It also reads a schema with ExtractSince whose
// JSON is not in an array.
func DecodeStored(b []byte) (*Schema, error) {
	if bytes.HasPrefix(b, []byte{'['}) {
		var list [1]Schema
		err := json.Unmarshal(b, &list)
		return &list[0], err
	}
	var s Schema
	err := json.Unmarshal(b, &s)
	return &s, err
}
