package frame

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var petSchema = &Schema{
	ID: "id", Label: "kind",
	Columns: []ColumnSchema{
		{Name: "weight", Kind: Numeric},
		{Name: "colour", Kind: Category, Levels: []string{"black", "red"}},
	},
	Classes: []string{"cat", "dog"},
}

// blockCollector keeps copies of the blocks that all of its kind have settled.
type blockCollector struct{ all *[]*Block }

func (blockCollector) Work(context.Context, *Block) error { return nil }

func (g blockCollector) Commit(b *Block) error {
	one := &Block{Frame: &Frame{Rows: b.Frame.Rows, Labels: b.Frame.Labels}}
	for _, c := range b.Frame.Columns {
		one.Frame.Columns = append(one.Frame.Columns, Column{Floats: slices.Clone(c.Floats), Codes: slices.Clone(c.Codes)})
	}
	for _, raw := range b.Raw {
		one.Raw = append(one.Raw, bytes.Clone(raw))
	}
	*g.all = append(*g.all, one)
	return nil
}

// readBlocks returns all blocks of a blind file, of about so many bytes.
func readBlocks(t *testing.T, file string, schema *Schema, size int) ([]*Block, error) {
	t.Helper()
	blocks, err := NewBlockReader(strings.NewReader(file), schema)
	if err != nil {
		return nil, err
	}
	blocks.size = size
	var all []*Block
	err = blocks.Run(t.Context(), []BlockWorker{blockCollector{&all}, blockCollector{&all}})
	return all, err
}

func TestBlocks(t *testing.T) {
	file := "\uFEFFkind,colour,note,id,weight\r\n" +
		"dog,red,\"a, \"\"b\"\"\nc\",1,3.5\r\n" +
		",,x,2,\r\n\r\n" +
		",green,y,3,NA"

	t.Run("features_are_found_by_name_and_rows_stay_as_they_are", func(t *testing.T) {
		all, err := readBlocks(t, file, petSchema, 30)
		if err != nil {
			t.Fatal(err)
		}
		var raw []string
		var codes []int32
		var missing []bool
		for _, b := range all {
			for i := range b.Raw {
				raw = append(raw, string(b.Raw[i]))
			}
			codes = append(codes, b.Frame.Columns[1].Codes...)
			for _, v := range floats(b.Frame, 0) {
				missing = append(missing, v != v)
			}
		}
		want := []string{"dog,red,\"a, \"\"b\"\"\nc\",1,3.5", ",,x,2,", ",green,y,3,NA"}
		if d := cmp.Diff(want, raw); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]int32{1, Missing, 2}, codes); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]bool{false, true, true}, missing); d != "" {
			t.Error(d)
		}
		if len(all) != 2 || all[0].Frame.Labels != nil {
			t.Errorf("%d blocks", len(all))
		}
	})

	for _, c := range []struct{ name, file, want string }{
		{"missing_column", "id,weight\n1,2\n", `line 1: the column "colour" of the training file is missing`},
		{"missing_id", "weight,colour\n1,red\n", `line 1: the ID column "id" is missing, and the first column is a feature`},
		{"other_id_name", "key,weight,colour\na,1,red\na,1,red\n", "line 3, column 1 (key): the ID of line 2 again: IDs must be unique"},
		{"duplicate_id", "id,weight,colour\n1,1,\n2,1,\n3,1,\n2,1,\n", "line 5, column 1 (id): the ID of line 3 again: IDs must be unique"},
		{"empty_id", "weight,id,colour\n1,,red\n", "line 2, column 2 (id): the row has no ID"},
		{"ragged", "id,weight,colour\n1,1\n", "line 2, column 3 (colour): expected 3 fields, got 2"},
		{"no_rows", "id,weight,colour\n", "line 1, column 1 (id): no data row follows the header"},
		{"empty", "", "line 1, column 1: the file is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readBlocks(t, c.file, petSchema, 10)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestFormat(t *testing.T) {
	file := "\uFEFFid,weight,colour,probability\n1,2,\"re\nd\",x\n2,,black,y\n"
	blocks, err := NewBlockReader(strings.NewReader(file), petSchema)
	if err != nil {
		t.Fatal(err)
	}
	raw := [][]byte{[]byte("1,2,\"re\nd\",x"), []byte("2,,black,y")}
	f := NewFormat(blocks)
	out := f.Header()
	for i, p := range [][]float32{{0.25, 0.75}, {1, 0}} {
		if out, err = f.AppendRow(out, raw[i], 1-i, p); err != nil {
			t.Fatal(err)
		}
	}
	for _, bad := range [][]float32{{1}, {float32(NaN), 1}, {1.5, -0.5}} {
		if _, err := f.AppendRow(nil, raw[0], 0, bad); err == nil {
			t.Errorf("%v was written", bad)
		}
	}
	if _, err := f.AppendRow(nil, raw[0], 2, []float32{1, 0}); err == nil {
		t.Error("a class that is not there was written")
	}
	want := "id,weight,colour,probability,prediction,probability_2,probability_cat,probability_dog\n" +
		"1,2,\"re\nd\",x,dog,0.75,0.25,0.75\n2,,black,y,cat,1,1,0\n"
	if d := cmp.Diff(want, string(out)); d != "" {
		t.Error(d)
	}
}

func TestAppendProbability(t *testing.T) {
	for p, want := range map[float64]string{0: "0", 1: "1", 0.5: "0.5", 1.0 / 3: "0.333333", 0.99999999: "1", 1.5e-7: "1.5e-07"} {
		if got := string(AppendProbability(nil, p)); got != want {
			t.Errorf("%v: got %s, want %s", p, got, want)
		}
	}
}

func TestProbabilitiesAreRoundedRight(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	check := func(p float64) {
		want := "0"
		if p != 0 {
			want = strconv.FormatFloat(p, 'g', 6, 64)
		}
		if got := string(AppendProbability(nil, p)); got != want {
			t.Fatalf("%v: got %s, want %s", p, got, want)
		}
	}
	for i := range 100_000 {
		p := rng.Float64() * math.Pow10(-rng.IntN(10))
		check(p)
		check(float64(float32(p)))
		check(float64(i%4096) / 4096) // halves of the last digit are to be found here
		check(1 - math.Pow10(-rng.IntN(9))*float64(float32(p)))
	}
	for k := range 12 {
		for _, p := range []float32{float32(math.Pow10(-k)), math.Nextafter32(float32(math.Pow10(-k)), 0)} {
			check(float64(p))
		}
	}
}

func BenchmarkAppendProbability(b *testing.B) {
	var dst []byte
	for b.Loop() {
		for i := range 1_000 {
			dst = AppendProbability(dst[:0], float64(float32(i)/1_000))
		}
	}
}
