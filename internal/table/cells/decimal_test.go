package cells

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Numbers of up to seven digits in any notation are represented exactly.
func TestDecimalsOfWrittenNumbers(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	var values []float64
	for range 20_000 {
		x := draw.NormFloat64() * math.Pow(10, float64(draw.IntN(8)-4))
		value, err := strconv.ParseFloat(fmt.Sprintf("%.*g", 1+draw.IntN(7), x), 64)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
	}
	cells := make([]Decimal, len(values))
	if !ToDecimals(cells, values) {
		t.Fatal("some value is no fraction")
	}
	for i, cell := range cells {
		if cell.Value() != values[i] {
			t.Fatalf("%v became %v", values[i], cell.Value())
		}
	}
}
