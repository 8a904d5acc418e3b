package frame

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Versions of a schema, by what a program must know to compute its features. For each version from
// VersionItems on, there is a database migration, even if the tables do not change. After the
// migration, workers of earlier program versions claim no more jobs, so they never read a schema
// that they do not know.
const (
	// VersionDifferences has features with ExtractSince.
	VersionDifferences = 2
	// A schema of version VersionItems has at least one of these: items of lists, prefixes of
	// codes, Unix times, dates that begin with a two-digit year, or hours that may be missing.
	VersionItems = 3
)

// Version returns the version of the schema. It is 1 if all versions of this program can compute
// the features.
func (s *Schema) Version() int {
	version := 1
	for i := range s.Columns {
		switch c := &s.Columns[i]; {
		case c.Feature == ExtractItem, c.Feature == ExtractItems, c.Feature == ExtractPrefix, c.YearFirst, c.NeedsTime, c.Epoch != "":
			return VersionItems
		case c.Feature == ExtractSince:
			version = VersionDifferences
		}
	}
	return version
}

// EncodeStored returns s as it is stored with a dataset: JSON in version 1, [{…}] in version 2 and
// [[{…}]] in version 3. The added arrays make older programs fail to read a newer schema. Without
// them, older programs would ignore what they do not know and train on columns that have no values.
func (s *Schema) EncodeStored() ([]byte, error) {
	b, err := json.Marshal(s)
	depth := s.Version() - 1
	return append(append(bytes.Repeat([]byte{'['}, depth), b...), bytes.Repeat([]byte{']'}, depth)...), err
}

// ErrNewerSchema is returned for a stored schema of a newer version of this program.
var ErrNewerSchema = errors.New("the schema is from a newer version of foretell")

// DecodeStored is the inverse of EncodeStored. It also reads a schema of version 2 whose JSON is not
// in an array. It returns ErrNewerSchema for a version that this program does not know.
func DecodeStored(b []byte) (*Schema, error) {
	var s Schema
	var err error
	switch {
	case bytes.HasPrefix(b, []byte("[[[")):
		return nil, ErrNewerSchema
	case bytes.HasPrefix(b, []byte("[[")):
		var list [1][1]Schema
		err = json.Unmarshal(b, &list)
		s = list[0][0]
	case bytes.HasPrefix(b, []byte{'['}):
		var list [1]Schema
		err = json.Unmarshal(b, &list)
		s = list[0]
	default:
		err = json.Unmarshal(b, &s)
	}
	return &s, err
}
