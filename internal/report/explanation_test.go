package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriteExplanation(t *testing.T) {
	rows := []ExplainedRow{
		{Row: 3, ID: "r3", Class: "good", Probability: 0.7975, Base: 0.6969, Contributions: []Contribution{
			{"duration", "6", 0.1002}, {"credit history", "all paid\x1b[1m", -0.0501}, {"purpose", strings.Repeat("long ", 20), 0.0605}, {"age", "", -0.01},
		}},
		{Row: 4, ID: "r4", Class: "bad", Probability: 0.3031, Base: 0.3031, Contributions: []Contribution{{"duration", "6", 0}}},
	}
	var b strings.Builder
	for i := range rows {
		WriteExplanation(&b, &rows[i], 3, 80)
	}
	got := b.String()
	want := `row 3 (r3): good 0.7975, which is 0.1006 above the mean 0.6969
  duration        6                       +0.1002                |++++++++++++++
  credit history  all paid\x1b[1m         -0.0501         -------|
  purpose         long long long long l…  +0.0605                |++++++++
  1 other column: -0.0100
row 4 (r4): bad 0.3031, which is 0.0000 above the mean 0.3031
  duration  6  +0.0000                |
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, width := range []int{40, 60, 200} {
		b.Reset()
		WriteExplanation(&b, &rows[0], 0, width)
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("%d columns in a terminal of %d: %s", n, width, line)
			}
		}
	}
}
