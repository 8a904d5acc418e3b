package frame

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestClassify(t *testing.T) {
	for cell, want := range map[string]struct {
		kind  valueKind
		value float64
	}{
		"": {kind: blank}, " \t": {kind: blank},
		"0": {number, 0}, "-1": {number, -1}, "+1.50": {number, 1.5}, " 7 ": {number, 7}, ".5": {number, 0.5}, "5.": {number, 5},
		"1e3": {number, 1000}, "1E-2": {number, 0.01}, "1e-400": {number, 0}, "00012": {number, 12},
		"NaN": {kind: null}, "N/A": {kind: null}, "null": {kind: null}, "?": {kind: null}, "-Inf": {kind: null}, "1e400": {kind: null},
		"1_000": {kind: text}, "0x10": {kind: text}, "1,5": {kind: text}, "e5": {kind: text}, "1e": {kind: text}, ".": {kind: null},
		"1 2": {kind: text}, "+": {kind: text}, "--1": {kind: text}, "٣": {kind: text}, "nano": {kind: text},
	} {
		kind, value := classify([]byte(cell))
		if kind != want.kind || (kind == number && value != want.value) {
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
		got, ok := parseNumber([]byte(cell))
		if !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s: got %v, want %v", cell, got, want)
		}
	}
}
