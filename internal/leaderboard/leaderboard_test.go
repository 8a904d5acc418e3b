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
		for _, row := range Table(test.rows).Rows {
			got += row[0].Text + row[1].Text + " "
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
