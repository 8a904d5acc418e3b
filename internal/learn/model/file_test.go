package model

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/learn/explain"
	"foretell/internal/table/frame"
)

// fakeFrame returns a frame of two rows, with one numeric column.
func fakeFrame(classes ...string) *frame.Frame {
	return &frame.Frame{
		Schema:  &frame.Schema{ID: "id", Label: "label", Classes: classes, Columns: []frame.ColumnSchema{{Name: "x"}}},
		Rows:    2,
		Columns: []frame.Column{{Floats: []float64{0.5, -1}}},
	}
}

// fakeAlgorithm is the algorithm of the predictor constant.
var fakeAlgorithm = &Algorithm{"SEV01", 1, readConstant}

// fakeFile returns the bytes of a small model.
func fakeFile(tb testing.TB) ([]byte, []*Algorithm) {
	tb.Helper()
	rows := fakeFrame("a", "b", "c")
	return bytesOf(tb, New(Parts{
		Schema: rows.Schema, Algorithm: "MSEV01", Temperature: 1.25, Weights: []float64{1, 2, 0.5},
		Members:    []Member{{fakeAlgorithm, 0.25, constant{0.5, 0.25, 0.25}}, {fakeAlgorithm, 0.75, constant{0.125, 0.125, 0.75}}},
		Background: rows,
	})), []*Algorithm{fakeAlgorithm}
}

// readBytes reads a model from its bytes.
func readBytes(b []byte, known []*Algorithm) (*Model, error) {
	return read(bytes.NewReader(b), int64(len(b)), known)
}

func bytesOf(tb testing.TB, m *Model) []byte {
	tb.Helper()
	var b bytes.Buffer
	n, err := m.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		tb.Fatalf("%d bytes are reported as %d: %v", b.Len(), n, err)
	}
	return b.Bytes()
}

func TestModelFile(t *testing.T) {
	file, algorithms := fakeFile(t)
	t.Run("read_back_is_equal", func(t *testing.T) {
		m, err := readBytes(file, algorithms)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fakeFrame("a", "b", "c").Schema, m.Schema()); diff != "" || m.Algorithm() != "MSEV01" {
			t.Errorf("%s, schema:\n%s", m.Algorithm(), diff)
		}
		if again := bytesOf(t, m); !bytes.Equal(again, file) {
			t.Error("bytes differ after reading and writing")
		}
	})
	t.Run("cut_anywhere_is_an_error", func(t *testing.T) {
		for n := range file {
			if _, err := readBytes(file[:n], algorithms); err == nil {
				t.Fatalf("Read: no error for %d of %d bytes", n, len(file))
			}
			if err := Verify(bytes.NewReader(file[:n]), int64(n)); err == nil {
				t.Fatalf("Verify: no error for %d of %d bytes", n, len(file))
			}
			if n < len(file)-sha256.Size { // also an error if the checksum of the first n bytes is right
				if _, err := readBytes(withChecksum(file[:n]), algorithms); err == nil {
					t.Fatalf("Read: no error for %d of %d bytes with the right checksum", n, len(file))
				}
			}
		}
	})
	t.Run("any_changed_byte_is_an_error", func(t *testing.T) {
		for i := range file {
			bad := bytes.Clone(file)
			bad[i] ^= 0x40
			if _, err := readBytes(bad, algorithms); err == nil {
				t.Fatalf("Read: no error after changing byte %d", i)
			}
			if err := Verify(bytes.NewReader(bad), int64(len(bad))); err == nil {
				t.Fatalf("Verify: no error after changing byte %d", i)
			}
		}
	})
	t.Run("later_version", func(t *testing.T) {
		later := bytes.Clone(file)
		later[len(magic)] = 9
		if _, err := readBytes(later, algorithms); err == nil || !strings.Contains(err.Error(), "version 9") {
			t.Errorf("got %v", err)
		}
		later = withChecksum(later[:len(later)-sha256.Size])
		if err := Verify(bytes.NewReader(later), int64(len(later))); err != nil {
			t.Errorf("Verify: %v", err)
		}
	})
	t.Run("members_that_do_not_fit_the_schema", func(t *testing.T) {
		m := New(Parts{Schema: fakeFrame("a", "b").Schema, Algorithm: "x", Temperature: 1, Members: []Member{{fakeAlgorithm, 1, constant{0.5, 0.25, 0.25}}}})
		if _, err := readBytes(bytesOf(t, m), algorithms); err == nil {
			t.Error("no error")
		}
	})
}

// TestModelOfOtherColumns checks that a model file is rejected if the schema lacks a column of a member.
func TestModelOfOtherColumns(t *testing.T) {
	for _, file := range []string{"background.model", "version-4.model", "version-7.model"} { // the last two have a smooth part
		whole := committedModel(t, file)
		for _, one := range whole.members {
			m := whole.withMembers(Member{one.Algorithm, 1, one.Predictor})
			if _, err := readBytes(bytesOf(t, m), algorithms); err != nil {
				t.Errorf("%s, %s: %v", file, one.Algorithm.Name, err)
			}
			schema := *m.schema
			schema.Columns = schema.Columns[:1]
			background := *m.background
			background.Columns = background.Columns[:1]
			m.schema, m.background = &schema, &background
			if _, err := readBytes(bytesOf(t, m), algorithms); !errors.Is(err, errDamaged) {
				t.Errorf("%s, %s without all columns but one: error %v", file, one.Algorithm.Name, err)
			}
		}
	}
}

// TestCommittedModelFiles reads model files that this and earlier versions of the program
// wrote, at least one of each file version. Each file is a blend of all four algorithms, except
// pairs.model, which is of symmetric boosting with a hashed pair of categories, and version-6.model,
// which is of symmetric boosting.
// The test checks that the model is written with the same bytes, and that its predictions
// have not changed. The files version-N.model were trained on tables with all kinds of
// columns. Versions 2 and 3 have selected features. The networks of version-4.model have a
// smooth part with kernels, and those of version-7.model a linear one.
func TestCommittedModelFiles(t *testing.T) {
	versions := map[uint16]bool{}
	for _, tt := range []struct {
		model, blind, result string
		version              uint16
	}{
		{"blend.model", "blind.csv", "result.csv", 2},
		{"version-1.model", "kinds.csv", "version-1.result.csv", 1},
		{"version-2.model", "kinds.csv", "version-2.result.csv", 2},
		{"version-3.model", "kinds.csv", "version-3.result.csv", 3},
		{"version-4.model", "kinds.csv", "version-4.result.csv", 4},
		{"version-5.model", "dates.csv", "version-5.result.csv", 5},
		{"version-6.model", "items.csv", "version-6.result.csv", 6},
		{"background.model", "blind.csv", "result.csv", 3},
		{"texts.model", "texts.csv", "texts.result.csv", 4},
		{"version-7.model", "kinds.csv", "version-7.result.csv", 7},
		{"pairs.model", "pairs.csv", "pairs.result.csv", 3},
	} {
		t.Run(tt.model, func(t *testing.T) {
			file, err := os.ReadFile("testdata/" + tt.model)
			if err != nil {
				t.Fatal(err)
			}
			m, err := readBytes(file, algorithms)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytesOf(t, m), file) {
				t.Error("bytes differ after reading and writing")
			}
			members := len(algorithms)
			if tt.model == "pairs.model" || tt.model == "version-6.model" {
				members = 1
			}
			if len(m.members) != members || m.fileVersion() != tt.version || (m.background != nil) != (tt.version >= versionBackground) {
				t.Errorf("%d members, version %d, background %v", len(m.members), m.fileVersion(), m.background)
			}
			versions[tt.version] = true
			blind, err := os.Open("testdata/" + tt.blind)
			if err != nil {
				t.Fatal(err)
			}
			defer blind.Close()
			var got bytes.Buffer
			if _, err := m.Predict(t.Context(), blind, &got, PredictOptions{}); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile("testdata/" + tt.result)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for v := uint16(versionPlain); v <= versionLatest; v++ {
		if !versions[v] {
			t.Errorf("no file of version %d", v)
		}
	}
}

// TestMigrationOfLatestVersion checks that the latest version of the file has a migration of the database.
// Workers of an earlier version then claim no more predictions, which would fail.
func TestMigrationOfLatestVersion(t *testing.T) {
	name := fmt.Sprintf("*_model_version_%d.sql", versionLatest)
	if found, err := filepath.Glob(filepath.Join("..", "..", "store", "schema", "migrations", name)); err != nil || len(found) != 1 {
		t.Errorf("%d migrations are called %s (%v)", len(found), name, err)
	}
}

// committedModel reads a committed model.
func committedModel(t *testing.T, name string) *Model {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := readBytes(file, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCommittedExplanations compares explanations by the committed model with
// those of an earlier version.
func TestCommittedExplanations(t *testing.T) {
	m := committedModel(t, "background.model")
	blind, err := os.Open("testdata/blind.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer blind.Close()
	var got strings.Builder
	err = m.ExplainFile(t.Context(), blind, ExplainOptions{}, func(row int) bool { return row <= 2 }, func(x ExplainedRow) error {
		fmt.Fprintf(&got, "%s %s %.4f %.4f", x.ID, m.schema.Classes[x.Class], x.Probability, x.Base)
		for i, value := range x.Contributions {
			fmt.Fprintf(&got, " %s", explain.AppendReason(nil, m.Columns()[i], x.Cells[i], value))
		}
		got.WriteByte('\n')
		return nil
	})
	want := `r60 bee 0.4224 0.3123 size=5.42 (-0.0215) colour=red (+0.0050) weight=0.36 (+0.1266)
r61 bee 0.3696 0.3123 size=6.59 (-0.0112) colour=blue (+0.0216) weight=-0.13 (+0.0469)
`
	if diff := cmp.Diff(want, got.String()); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// withChecksum returns b followed by its checksum.
func withChecksum(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(bytes.Clone(b), sum[:]...)
}

// FuzzRead reads arbitrary bytes to which the right checksum was added.
func FuzzRead(f *testing.F) {
	file, toys := fakeFile(f)
	f.Add(file[:len(file)-sha256.Size])
	for _, name := range []string{"background.model", "version-4.model", "version-7.model", "texts.model"} { // the second and third have a smooth part
		real, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(real[:len(real)-sha256.Size])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, known := range [][]*Algorithm{toys, algorithms} {
			m, err := readBytes(withChecksum(body), known)
			if err != nil {
				continue
			}
			again := bytesOf(t, m)
			if _, err := readBytes(again, known); err != nil {
				t.Errorf("reading the model that was written again: %v", err)
			}
		}
	})
}
