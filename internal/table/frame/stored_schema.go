package frame

import (
	"bytes"
	"encoding/json"
)

// EncodeStored returns s in the form in which it is stored with a dataset: its JSON. If s has a
// FeatureSince, the form is an array with the JSON as its only element. Programs that do not know
// FeatureSince would otherwise train on such a schema, with a column without values. They cannot
// read the array.
func (s *Schema) EncodeStored() ([]byte, error) {
	b, err := json.Marshal(s)
	if err == nil && len(s.Differences()) > 0 {
		b = append(append([]byte{'['}, b...), ']')
	}
	return b, err
}

// DecodeStored is the inverse of EncodeStored. It also reads the JSON of a schema with a
// FeatureSince that is no array.
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
