package report

import (
	"strings"
	"testing"

	"foretell/internal/api"
)

// TestSingletons checks that the summary and the cautions estimate the accuracy on new rows if many
// rows are the only row of their class.
func TestSingletons(t *testing.T) {
	r := &api.ModelReport{Rows: 250, SingletonRows: 50, TestRows: 50, Test: &api.Scores{Accuracy: 1}}
	const want = "0 of 250 rows are the only row of their class, so they were trained on but not scored, and all scores are too high; about 20 % of new rows probably have a class that the training file lacks, so the accuracy on new rows is probably about 80.0 % instead of the 100.0 % on the test rows"
	if text := strings.Join(Summary(&api.Training{}, "MSIX01", r, "1 s"), "\n"); !strings.Contains(text, "  warning     5"+want) {
		t.Errorf("summary\n%s", text)
	}
	if text := strings.Join((&Document{Report: r}).Cautions(), "\n"); !strings.Contains(text, "5"+want+".") {
		t.Errorf("cautions\n%s", text)
	}
	r.SingletonRows = 0
	if text := strings.Join((&Document{Report: r}).Cautions(), "\n"); strings.Contains(text, "only row") {
		t.Errorf("without such rows: cautions\n%s", text)
	}
}
