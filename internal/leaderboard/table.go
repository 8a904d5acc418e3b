package leaderboard

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/report"
	"foretell/internal/term"
)

// setTables sets the fields table, dataID and Table of the entries, which say what data each model
// was trained on. newestFirst[i] is the model of entries[i]. If all models belong to one dataset,
// setTables does nothing.
func setTables(ctx context.Context, c *client.Client, newestFirst []client.SeriesModel, entries []*Entry) error {
	var tables []client.Task // without a ScoreKind
	var names []string       // the name of the newest dataset of each table
	if !slices.ContainsFunc(newestFirst, func(m client.SeriesModel) bool { return m.DatasetKey != newestFirst[0].DatasetKey }) {
		return nil
	}
	groups, data := map[string]int{}, map[string]string{} // by dataset key
	for i, m := range newestFirst {
		group, known := groups[m.DatasetKey]
		if !known {
			d, err := client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: m.DatasetKey})
			if err != nil {
				return err
			}
			table := client.Task{TableSchema: d.TableSchema()}
			if group = slices.IndexFunc(tables, func(t client.Task) bool { return table.Difference(&t) == "" }); group < 0 {
				group, tables, names = len(tables), append(tables, table), append(names, d.DatasetName)
			}
			groups[m.DatasetKey], data[m.DatasetKey] = group, cmp.Or(d.SHA256, d.DatasetKey)
		}
		entries[i].table, entries[i].dataID = group, data[m.DatasetKey]
	}
	if len(tables) < 2 {
		return nil
	}
	for _, e := range entries {
		label := tables[e.table].Label
		e.Table = cmp.Or(label, names[e.table])
		for i := range tables {
			if i != e.table && tables[i].Label == label {
				e.Table = label + " (" + names[e.table] + ")"
			}
		}
	}
	return nil
}

// CountTables returns the number of different tables that the models of the entries were trained
// on; see Entry.Table.
func CountTables(entries []*Entry) int {
	groups := map[int]bool{}
	for _, e := range entries {
		groups[e.table] = true
	}
	return len(groups)
}

// ClassLabels returns the labels of all classes of the entries' models. It is empty if the
// service has no reports.
func ClassLabels(entries []*Entry) []string {
	var labels []string
	for _, e := range entries {
		if e.report == nil {
			continue
		}
		for _, class := range e.report.Classes {
			if !slices.Contains(labels, class.Label) {
				labels = append(labels, class.Label)
			}
		}
	}
	return labels
}

// Table returns the leaderboard as a table with a row for each model. The table shows the scores of
// metric and the log loss. If the entries differ in the field Table, a column shows it. If aligned
// is set, the table is for a terminal, and marks replace the columns for the champion and the test
// set; see Footnotes.
func Table(rows []*Entry, metric string, aligned bool) *term.Table {
	tables, testSets := CountTables(rows) > 1, HasTestSets(rows)
	t := &term.Table{Key: 1} // the model
	add := func(name string, right bool, cell func(e *Entry) term.Cell) {
		t.Header, t.Right = append(t.Header, term.Cell{Text: name}), append(t.Right, right)
		for i, e := range rows {
			if len(t.Rows) <= i {
				t.Rows = append(t.Rows, nil)
			}
			t.Rows[i] = append(t.Rows[i], cell(e))
		}
	}
	add("rank", true, rankCell)
	add("model", false, func(e *Entry) term.Cell {
		if e.Champion {
			return term.Cell{Text: e.Model, Display: e.Model + " *"}
		}
		return term.Cell{Text: e.Model}
	})
	if tables {
		add("table", false, func(e *Entry) term.Cell { return term.Cell{Text: e.Table} })
	}
	add("algorithm", false, func(e *Entry) term.Cell {
		return term.Cell{Text: e.Algorithm, Display: api.AlgorithmTitle(e.Algorithm), Short: e.Algorithm}
	})
	add(metric, true, func(e *Entry) term.Cell { return optionalScoreCell(e.Test) })
	add("low", true, func(e *Entry) term.Cell { return optionalScoreCell(e.Low) })
	add("high", true, func(e *Entry) term.Cell { return optionalScoreCell(e.High) })
	add("testRows", true, func(e *Entry) term.Cell {
		cell := term.Cell{Text: strconv.FormatInt(e.TestRows, 10)}
		if testSets && e.TestSet > 0 {
			cell.Display = cell.Text + " #" + strconv.Itoa(e.TestSet)
		}
		return cell
	})
	if metric != api.MetricLogLoss {
		add("logLoss", true, func(e *Entry) term.Cell { return optionalScoreCell(e.LogLoss) })
	}
	add("rows", true, func(e *Entry) term.Cell { return term.Cell{Text: strconv.FormatInt(e.Rows, 10)} })
	add("time", true, func(e *Entry) term.Cell { return wholeSecondsCell(e.Seconds) })
	add("options", false, func(e *Entry) term.Cell { return term.Cell{Text: e.Options} })
	if !aligned {
		add("testSet", true, func(e *Entry) term.Cell { return term.Cell{Text: formatTestSet(e.TestSet)} })
		add("champion", false, func(e *Entry) term.Cell { return term.Cell{Text: strconv.FormatBool(e.Champion)} })
	}
	return t
}

// ChampionReason returns why one of the models is the champion, such as "it was promoted", or "" if
// none is.
func ChampionReason(rows []*Entry) string {
	i := slices.IndexFunc(rows, func(e *Entry) bool { return e.Champion })
	switch {
	case i < 0:
		return ""
	case rows[i].ChampionReason == api.ModelPromoted:
		return "it was promoted"
	}
	metric := rows[i].Metric
	if job := rows[i].job; job != nil { // the rows may have the scores of another metric
		metric = job.Metric
	}
	compared := "of the models with the data, metric (" + metric + "), class weights, --group and --time of the newest model, "
	if rows[i].ChampionReason == api.ModelAccepted {
		return compared + "it is the latest that met the requirement `--beat champion`"
	}
	return compared + "it has the best score on the validation rows, while the table shows scores on the test rows"
}

// Footnotes explains the marks of a table that a terminal shows, in one line each.
func Footnotes(rows []*Entry) []string {
	var lines []string
	if reason := ChampionReason(rows); reason != "" {
		lines = append(lines, "* the champion, which `foretell predict --with NAME` uses: "+reason)
	}
	if HasTestSets(rows) {
		lines = append(lines, "# "+TestSetNote)
	}
	return lines
}

// TestSetNote explains the numbers in the column of Entry.TestSet: each number stands for a set of
// test rows.
const TestSetNote = "models with different numbers were tested on different rows, so their scores cannot be compared exactly"

// formatTestSet formats n, the number of a test set. It returns a dash if n is 0, which means that
// the test set is unknown.
func formatTestSet(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// rankCell formats a rank: 2, 2= for a rank that several models share, or a dash.
func rankCell(e *Entry) term.Cell {
	switch {
	case e.Rank == 0:
		return term.Cell{Text: "-"}
	case e.Tie:
		return term.Cell{Text: strconv.Itoa(e.Rank) + "="}
	}
	return term.Cell{Text: strconv.Itoa(e.Rank)}
}

// wholeSecondsCell formats the duration of a race in whole seconds. It
// returns a dash if s is nil.
func wholeSecondsCell(s *int64) term.Cell {
	if s == nil {
		return term.Cell{Text: "-"}
	}
	return term.Cell{Text: strconv.FormatInt(*s, 10), Display: FormatSeconds(*s)}
}

// FormatSeconds formats a duration of s seconds that is the difference of two rounded times.
// Therefore it formats 0 as "<1 s".
func FormatSeconds(s int64) string {
	switch {
	case s == 0:
		return "<1 s"
	case s < 60:
		return strconv.FormatInt(s, 10) + " s"
	}
	return term.FormatDuration(time.Duration(s) * time.Second)
}

// optionalScoreCell formats a score. It returns a dash if v is nil.
func optionalScoreCell(v *float64) term.Cell {
	if v == nil {
		return term.Cell{Text: "-"}
	}
	return report.ScoreCell(*v)
}

// OptionalSecondsCell formats a duration in seconds. It returns a dash if s is nil.
func OptionalSecondsCell(s *float64) term.Cell {
	if s == nil {
		return term.Cell{Text: "-"}
	}
	return SecondsCell(*s)
}

// SecondsCell formats a duration in seconds.
func SecondsCell(s float64) term.Cell {
	return term.Cell{
		Text:    strconv.FormatFloat(s, 'f', 1, 64),
		Display: term.FormatDuration(time.Duration(s * float64(time.Second))),
	}
}
