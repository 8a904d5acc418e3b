package app_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"foretell/internal/api"
)

// TestTooManyLabelsFail checks that a dataset FAILS if its label is not
// categorical.
func TestTooManyLabelsFail(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("prepares a large table, and tests no concurrency")
	}
	b := open(t, t.TempDir())
	defer b.work(t)()
	for _, tt := range []struct {
		name, format string
		rows         int
		want         string
	}{
		{"few texts", "L%d", 40, "different values"},
		{"many texts", "L%d", 300_000, "different values"},
		{"few numbers", "%d.5", 40, "classes, not numbers"},
		{"many numbers", "%d.5", 300_000, "classes, not numbers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var csv strings.Builder
			csv.WriteString("ID,a,y\n")
			for i := range tt.rows {
				fmt.Fprintf(&csv, "%d,%d,"+tt.format+"\n", i, i%7, i)
			}
			d := b.prepared(t, tt.name, csv.String())
			if d.Status != api.DatasetFailed || !strings.Contains(d.FailureReason, tt.want) {
				t.Errorf("it is %s with %d classes: %s", d.Status, len(d.Classes), d.FailureReason)
			}
		})
	}
}

// TestExtremeNumbers prepares columns with the largest numbers of both signs. The edges of their
// distributions must be finite, because the store has them as JSON.
func TestExtremeNumbers(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	defer b.work(t)()
	var csv strings.Builder
	csv.WriteString("ID,high,low,both,y\n")
	for i := range 200 {
		high, low, both := 4+float64(i%37)/10, 4+float64(i%37)/10, float64(i%37)
		switch i {
		case 7:
			high, low, both = math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64
		case 8:
			both = -math.MaxFloat64
		}
		fmt.Fprintf(&csv, "%d,%g,%g,%g,%c\n", i, high, low, both, "pn"[i%2])
	}
	d := b.prepared(t, "extreme", csv.String())
	if d.Status != api.DatasetCompleted {
		t.Fatalf("it is %s: %s", d.Status, d.FailureReason)
	}
	for _, c := range d.Columns {
		rows := int64(0)
		for _, n := range c.Distribution.Bins {
			rows += n
		}
		if rows != 200 || c.Distribution.Low > c.Distribution.Min || c.Distribution.High < c.Distribution.Max || math.IsInf(c.Distribution.High, 0) {
			t.Errorf("%s: %+v", c.Name, c.Distribution)
		}
	}
}
