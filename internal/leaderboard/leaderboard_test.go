package leaderboard

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/term"
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
		"only the first model of a rank counts": {[]*Entry{ // d's interval includes the scores of a, b and c
			entryWith("a", api.MetricAccuracy, 0.90, 0.86, 0.94),
			entryWith("b", api.MetricAccuracy, 0.87, 0.83, 0.91),
			entryWith("c", api.MetricAccuracy, 0.84, 0.80, 0.88),
			entryWith("d", api.MetricAccuracy, 0.50, 0.05, 0.95),
		}, "1=a 1=b 3=c 3=d "},
		"no interval": {[]*Entry{
			entryWith("a", api.MetricROCAUC, 0.80, 0, 0),
			entryWith("b", api.MetricROCAUC, 0.79, 0, 0),
			entryWith("c", api.MetricROCAUC, 0.80, 0, 0),
			{Model: "d", Metric: api.MetricROCAUC},
		}, "1=a 1=c 3b -d "},
	} {
		sortAndRank(test.rows)
		got := ""
		for _, row := range Table(test.rows, test.rows[0].Metric, true).Rows {
			got += row[0].Text + row[1].Text + " "
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestTestSetsAndChampionAreColumnsInAPipe checks that a pipe has as columns what a terminal shows
// as marks.
func TestTestSetsAndChampionAreColumnsInAPipe(t *testing.T) {
	a, b := entryWith("a", api.MetricAccuracy, 0.7, 0.6, 0.8), entryWith("b", api.MetricAccuracy, 0.6, 0.5, 0.7)
	a.TestSet, a.Champion = 2, true
	table := Table([]*Entry{a, b}, api.MetricAccuracy, false)
	for i, name := range []string{"testSet", "champion"} {
		at := slices.IndexFunc(table.Header, func(c term.Cell) bool { return c.Text == name })
		if at < 0 {
			t.Fatalf("no column %s", name)
		}
		got := []string{table.Rows[0][at].Text, table.Rows[1][at].Text}
		if diff := cmp.Diff([][]string{{"2", "-"}, {"true", "false"}}[i], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRankByTable(t *testing.T) {
	a, b, c := entryWith("a", api.MetricAccuracy, 0.70, 0, 0), entryWith("b", api.MetricAccuracy, 0.80, 0, 0), entryWith("c", api.MetricAccuracy, 0.75, 0, 0)
	none := &Entry{Model: "none", Metric: api.MetricAccuracy}
	b.table, b.Table, a.Table, c.Table, none.Table = 1, "kind", "class", "class", "class"
	rows := []*Entry{a, none, b, c}
	sortAndRank(rows)
	got := ""
	for _, row := range Table(rows, api.MetricAccuracy, true).Rows {
		got += row[0].Text + row[1].Text + ":" + row[2].Text + " "
	}
	if want := "1c:class 2a:class -none:class 1b:kind "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTestSets checks which models were tested on the same rows, and that only a terminal shows it.
func TestTestSets(t *testing.T) {
	entry := func(data string, seed int64, group string, version int) *Entry {
		e := entryWith("m", api.MetricAccuracy, 0.8, 0, 0)
		e.report, e.TestRows, e.dataID, e.version = &api.ModelReport{Seed: seed, GroupColumn: group}, 20, data, version
		return e
	}
	rows := []*Entry{entry("a", 1, "", 10), entry("a", 2, "", 9), entry("a", 1, "", 8), entry("b", 1, "", 7), entry("a", 1, "shop", 6)}
	sortAndRank(rows)
	setTestSets(rows)
	var got, shown []string
	for i, row := range Table(rows, api.MetricAccuracy, true).Rows {
		got = append(got, fmt.Sprintf("v%d:%d", rows[i].version, rows[i].TestSet))
		shown = append(shown, row[6].Text+"|"+row[6].Display)
	}
	if HaveDifferentTestRows(rows[2], rows[4]) || !HaveDifferentTestRows(rows[2], rows[3]) || HaveDifferentTestRows(rows[2], &Entry{}) {
		t.Error("other models were tested on different rows")
	}
	if HasTestSets(rows[:1]) || !HasTestSets(rows) {
		t.Error("the number of test sets is wrong")
	}
	rows[2].Champion, rows[2].job = true, &api.Training{}
	if notes := Footnotes(rows); len(notes) != 2 || notes[0][0] != '*' || notes[1][0] != '#' {
		t.Errorf("footnotes %q", notes)
	}
	if diff := cmp.Diff([]string{"v6:1", "v7:2", "v8:3", "v9:4", "v10:3"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"20|20 #1", "20|20 #2", "20|20 #3", "20|20 #4", "20|20 #3"}, shown); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestChampionReason(t *testing.T) {
	rows := []*Entry{
		{Metric: api.MetricAccuracy, job: &api.Training{Metric: api.MetricAccuracy}},
		{Metric: api.MetricAccuracy, job: &api.Training{Metric: api.MetricLogLoss}, Champion: true, ChampionReason: api.ReasonBest},
	}
	const want = "of the models with the data, metric (logLoss), class weights, --group and --time of the newest model, it has the best score on the validation rows, while the table shows scores on the test rows"
	if got := ChampionReason(rows); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	rows[1].ChampionReason = api.ModelAccepted
	const accepted = "of the models with the data, metric (logLoss), class weights, --group and --time of the newest model, it is the latest that met the requirement `--beat champion`"
	if got := ChampionReason(rows); got != accepted {
		t.Errorf("got %q, want %q", got, accepted)
	}
}
