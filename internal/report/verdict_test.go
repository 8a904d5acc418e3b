package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
)

// TestVerdictWithoutScores checks the reason why the quality of a model was not measured.
func TestVerdictWithoutScores(t *testing.T) {
	for column, want := range map[string]string{
		"":     "The quality of the model was not measured: too few rows to set validation rows aside.",
		"site": "The quality of the model was not measured: the division of the rows by site leaves no validation rows.",
	} {
		if diff := cmp.Diff([]string{want}, Verdict(&api.ModelReport{Rows: 40_000, GroupColumn: column})); diff != "" {
			t.Error(diff)
		}
	}
}
