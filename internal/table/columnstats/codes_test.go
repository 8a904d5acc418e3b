package columnstats_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// TestCodes infers whether the numbers of a column are codes, so that the column is also a category.
func TestCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	// skewed returns one of n ranks. The first ranks are far more frequent.
	skewed := func(n int) int {
		return int(float64(n) * rng.Float64() * rng.Float64() * rng.Float64() * rng.Float64())
	}
	shops, ids := []int{}, rng.Perm(90_000)
	for _, id := range ids[:4_000] {
		shops = append(shops, 10_000+id)
	}
	for name, c := range map[string]struct {
		value func() string
		want  bool
	}{
		"shops":          {func() string { return fmt.Sprint(shops[skewed(300)]) }, true},
		"many_shops":     {func() string { return fmt.Sprint(shops[skewed(4_000)]) }, true},
		"with_decimals":  {func() string { return fmt.Sprintf("%d.0", shops[skewed(300)]) }, true},
		"mostly_0":       {func() string { return fmt.Sprint(shops[skewed(300)] * max(rng.IntN(8)-6, 0)) }, true},
		"few_shops":      {func() string { return fmt.Sprint(shops[rng.IntN(20)]) }, false},
		"negative":       {func() string { return fmt.Sprint(-shops[skewed(300)]) }, false},
		"fractions":      {func() string { return fmt.Sprintf("%d.5", shops[skewed(300)]) }, false},
		"ages":           {func() string { return fmt.Sprint(18 + skewed(70)) }, false},
		"amounts":        {func() string { return fmt.Sprint(rng.IntN(3_000) * 30) }, false},
		"rounded":        {func() string { return fmt.Sprint(50 * skewed(2_000)) }, false},
		"log_normal":     {func() string { return fmt.Sprintf("%.0f", 100*(1+skewedNormal(rng))) }, false},
		"numbered_shops": {func() string { return fmt.Sprint(1 + skewed(300)) }, false}, // too dense, like counts
	} {
		t.Run(name, func(t *testing.T) {
			rng = rand.New(rand.NewPCG(1, 2))
			var csv strings.Builder
			csv.WriteString("id,x,label\n")
			for i := range 12_000 {
				fmt.Fprintf(&csv, "r%d,%s,%c\n", i, c.value(), "ab"[i%2])
			}
			schema := scanText(t, csv.String(), profile.ScanOptions{}).Schema
			got := slices.ContainsFunc(schema.Columns, func(c frame.ColumnSchema) bool { return c.Name == "x.code" && c.Kind == frame.Category })
			if got != c.want {
				t.Errorf("a category of codes: %t, want %t; the features are %+v", got, c.want, schema.Columns)
			}
		})
	}
}

// skewedNormal returns a positive number whose logarithm is about normal.
func skewedNormal(rng *rand.Rand) float64 {
	x := rng.NormFloat64()
	return x * x * 40
}

func scanText(t *testing.T, file string, opts profile.ScanOptions) *profile.Profile {
	t.Helper()
	p, err := profile.Scan(t.Context(), strings.NewReader(file), opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
