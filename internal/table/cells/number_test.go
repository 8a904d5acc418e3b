package cells

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestClassify(t *testing.T) {
	for cell, want := range map[string]struct {
		kind  ValueKind
		value float64
	}{
		"": {kind: Blank}, " \t": {kind: Blank},
		"0": {Number, 0}, "-1": {Number, -1}, "+1.50": {Number, 1.5}, " 7 ": {Number, 7}, ".5": {Number, 0.5}, "5.": {Number, 5},
		"1e3": {Number, 1000}, "1E-2": {Number, 0.01}, "1e-400": {Number, 0}, "00012": {Number, 12},
		"NaN": {kind: Null}, "N/A": {kind: Null}, "null": {kind: Null}, "?": {kind: Null}, "-Inf": {kind: Null}, "1e400": {kind: Null},
		"..": {kind: Null}, "…": {kind: Null}, ":": {kind: Null}, "[c]": {kind: Null}, " [Low] ": {kind: Null}, "[q]": {kind: Text}, "~": {kind: Text},
		"1_000": {kind: Text}, "0x10": {kind: Text}, "1,5": {kind: Text}, "e5": {kind: Text}, "1e": {kind: Text}, ".": {kind: Null},
		"1 2": {kind: Text}, "+": {kind: Text}, "--1": {kind: Text}, "٣": {kind: Text}, "nano": {kind: Text},
	} {
		kind, value := Classify([]byte(cell))
		if kind != want.kind || (kind == Number && value != want.value) {
			t.Errorf("%q: got kind %d, value %v", cell, kind, value)
		}
	}
}

func TestNumbersAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200_000 {
		value := math.Float64frombits(rng.Uint64())
		format := "efg"[rng.IntN(3)]
		digits := rng.IntN(20) - 1
		if format == 'f' {
			value = rng.NormFloat64() * math.Pow10(rng.IntN(30)-10)
		}
		cell := strconv.FormatFloat(value, format, digits, 64)
		want, err := strconv.ParseFloat(cell, 64)
		if err != nil || math.IsNaN(want) || math.IsInf(want, 0) {
			continue
		}
		got, ok := ParseNumber([]byte(cell))
		if !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s: got %v, want %v", cell, got, want)
		}
	}
}
