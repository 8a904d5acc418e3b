package result

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

func TestFormat(t *testing.T) {
	schema := &frame.Schema{
		ID: "id", Label: "kind", Classes: []string{"cat", "dog"},
		Columns: []frame.ColumnSchema{
			{Name: "weight", Kind: frame.Numeric},
			{Name: "colour", Kind: frame.Category, Levels: []string{"black", "red"}},
		},
	}
	file := "\uFEFFid,weight,colour,probability\n1,2,\"re\nd\",x\n2,,black,y\n"
	blocks, err := frame.NewBlockReader(strings.NewReader(file), schema)
	if err != nil {
		t.Fatal(err)
	}
	raw := [][]byte{[]byte("1,2,\"re\nd\",x"), []byte("2,,black,y")}
	f := NewFormat(blocks, 0)
	out := f.Header()
	for i, p := range [][]float32{{0.25, 0.75}, {1, 0}} {
		if out, err = f.AppendRow(out, raw[i], 1-i, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, bad := range [][]float32{{1}, {float32(cells.NaN), 1}, {1.5, -0.5}} {
		if _, err := f.AppendRow(nil, raw[0], 0, bad, nil); err == nil {
			t.Errorf("%v was written", bad)
		}
	}
	if _, err := f.AppendRow(nil, raw[0], 2, []float32{1, 0}, nil); err == nil {
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
		if got := string(appendProbability(nil, p)); got != want {
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
		if got := string(appendProbability(nil, p)); got != want {
			t.Fatalf("%v: got %s, want %s", p, got, want)
		}
	}
	for i := range 100_000 {
		p := rng.Float64() * math.Pow10(-rng.IntN(10))
		check(p)
		check(float64(float32(p)))
		check(float64(i%4096) / 4096) // includes halves of the last digit
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
			dst = appendProbability(dst[:0], float64(float32(i)/1_000))
		}
	}
}
