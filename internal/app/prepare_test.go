package app_test

import (
	"fmt"
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
