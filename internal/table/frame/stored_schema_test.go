package frame

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStoredSchema checks that DecodeStored reads what EncodeStored and earlier programs store. It
// also checks that programs reject the schemas of later versions: those that read a schema as a JSON
// object, and those that also read an array.
func TestStoredSchema(t *testing.T) {
	plain := &Schema{ID: "id", Label: "y", Columns: []ColumnSchema{{Name: "a"}}, Classes: []string{"no", "yes"}}
	for version, schemas := range map[int][]*Schema{1: {plain}, VersionDifferences: {dateSchema()}, VersionItems: laterSchemas()} {
		for _, want := range schemas {
			if got := want.Version(); got != version {
				t.Errorf("%+v has version %d, not %d", want, got, version)
			}
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
			if err := json.Unmarshal(stored, &asObject); (err != nil) != (version > 1) {
				t.Errorf("a program that reads version 1 gets the error %v for %s", err, stored)
			}
			var asArray [1]Schema
			if err := json.Unmarshal(stored, &asArray); (err != nil) != (version != VersionDifferences) {
				t.Errorf("a program that reads version 2 gets the error %v for %s", err, stored)
			}
		}
	}
	for _, damaged := range []string{"[", "[[", "[[{]]"} {
		if _, err := DecodeStored([]byte(damaged)); err == nil {
			t.Errorf("the damaged schema %s is accepted", damaged)
		}
	}
}

// TestMigrationOfNewestVersion checks that the newest version of a schema has a migration of the database.
// Workers of an earlier version then claim no more jobs. Otherwise they would claim races on datasets
// whose schema they cannot read, and these races would fail.
func TestMigrationOfNewestVersion(t *testing.T) {
	newest := 0
	for isKnown := true; isKnown; {
		newest++
		_, err := DecodeStored([]byte(strings.Repeat("[", newest))) // version newest + 1
		isKnown = !errors.Is(err, ErrNewerSchema)
	}
	name := fmt.Sprintf("*_schema_version_%d.sql", newest)
	if found, err := filepath.Glob(filepath.Join("..", "..", "store", "schema", "migrations", name)); err != nil || len(found) != 1 {
		t.Errorf("%d migrations are called %s (%v)", len(found), name, err)
	}
}

// laterSchemas returns dateSchema with each of the features of VersionItems.
func laterSchemas() []*Schema {
	var schemas []*Schema
	for _, c := range []ColumnSchema{
		DeriveFeature(ColumnSchema{Name: "to.hour", NeedsTime: true}, "to", ExtractHour),
		DeriveFeature(ColumnSchema{Name: "to.time", YearFirst: true}, "to", ExtractTime),
		DeriveFeature(ColumnSchema{Name: "to.time", Epoch: EpochSeconds}, "to", ExtractTime),
		DeriveFeature(ColumnSchema{Name: "to=C++", Separator: ";", Word: "C++"}, "to", ExtractItem),
		DeriveFeature(ColumnSchema{Name: "to.items", Separator: ";"}, "to", ExtractItems),
		DeriveFeature(ColumnSchema{Name: "to.prefix", Kind: Category, Length: 1, Levels: []string{"E"}}, "to", ExtractPrefix),
	} {
		s := dateSchema()
		s.Columns[len(s.Columns)-1] = c
		schemas = append(schemas, s)
	}
	return schemas
}
