package leaderboard

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
)

// entryWith returns an entry with a score and its interval. If low is 0, there is no
// interval.
func entryWith(model, metric string, value, low, high float64) *Entry {
	s := &Entry{Model: model, Metric: metric, CreatedOn: model, Test: &value}
	if low > 0 {
		s.Low, s.High = &low, &high
	}
	return s
}

func TestRank(t *testing.T) {
	for name, test := range map[string]struct {
		rows []*Entry
		want string
	}{
		"accuracy: more is better": {[]*Entry{
			entryWith("a", api.MetricAccuracy, 0.70, 0.66, 0.74),
			entryWith("b", api.MetricAccuracy, 0.80, 0.76, 0.84),
			entryWith("c", api.MetricAccuracy, 0.78, 0.74, 0.82),
		}, "1=b 1=c 3a "},
		"log loss: less is better": {[]*Entry{
			entryWith("a", api.MetricLogLoss, 0.70, 0.66, 0.74),
			entryWith("b", api.MetricLogLoss, 0.50, 0.46, 0.54),
			entryWith("c", api.MetricLogLoss, 0.53, 0.49, 0.57),
		}, "1=b 1=c 3a "},
		"no interval": {[]*Entry{
			entryWith("a", api.MetricROCAUC, 0.80, 0, 0),
			entryWith("b", api.MetricROCAUC, 0.79, 0, 0),
			entryWith("c", api.MetricROCAUC, 0.80, 0, 0),
			{Model: "d", Metric: api.MetricROCAUC},
		}, "1=a 1=c 3b -d "},
	} {
		SortAndRank(test.rows)
		got := ""
		for _, row := range Table(test.rows, test.rows[0].Metric).Rows {
			got += row[0].Text + row[1].Text + " "
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRankByTable(t *testing.T) {
	a, b, c := entryWith("a", api.MetricAccuracy, 0.70, 0, 0), entryWith("b", api.MetricAccuracy, 0.80, 0, 0), entryWith("c", api.MetricAccuracy, 0.75, 0, 0)
	none := &Entry{Model: "none", Metric: api.MetricAccuracy}
	b.group, b.Table, a.Table, c.Table, none.Table = 1, "kind", "class", "class", "class"
	rows := []*Entry{a, none, b, c}
	SortAndRank(rows)
	got := ""
	for _, row := range Table(rows, api.MetricAccuracy).Rows {
		got += row[0].Text + row[1].Text + ":" + row[2].Text + " "
	}
	if want := "1c:class 2a:class -none:class 1b:kind "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
