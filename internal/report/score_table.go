package report

import (
	"fmt"
	"strconv"

	"foretell/internal/api"
	"foretell/internal/gate"
	"foretell/internal/scoring"
	"foretell/internal/term"
)

// AllScoresTable returns a table of all scores, one per row.
func AllScoresTable(r *scoring.Result) *term.Table {
	t := &term.Table{}
	for _, name := range []string{"metric", "value", "low", "high", "rows"} {
		t.Header = append(t.Header, term.Cell{Text: name})
	}
	add := func(name string, f *scoring.MetricValue, rows int) {
		row := []term.Cell{{Text: name}, {}, {}, {}, {Text: strconv.Itoa(rows)}}
		if f != nil {
			if f.Rows > 0 {
				row[4].Text = strconv.Itoa(f.Rows)
			}
			row[1] = ScoreCell(f.Value)
			if f.Low != nil {
				row[2], row[3] = ScoreCell(*f.Low), ScoreCell(*f.High)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	for _, name := range api.RaceMetrics() {
		add(name, r.Metric(name), r.Rows)
	}
	add("baseline", &scoring.MetricValue{Value: r.Baseline.Accuracy}, r.Rows)
	for _, c := range r.Classes {
		add(gate.Precision+"["+c.Label+"]", c.Precision, 0) // c.Precision has the rows that were predicted as the class
		add(gate.Recall+"["+c.Label+"]", c.Recall, c.Rows)
		add(gate.F1+"["+c.Label+"]", c.F1, c.Rows)
		if c.ROCAUC != nil || c.PRAUC != nil {
			add(api.MetricROCAUC+"["+c.Label+"]", c.ROCAUC, c.Rows)
			add(api.MetricPRAUC+"["+c.Label+"]", c.PRAUC, c.Rows)
		}
	}
	return t
}

// ClassTable returns a table of the scores of each class.
func ClassTable(r *scoring.Result) *term.Table {
	t := &term.Table{Right: []bool{false, true, true, false, true, false, true, false}}
	for _, name := range []string{"class", "rows", gate.Precision, "95 %", gate.Recall, "95 %", gate.F1, "95 %"} {
		t.Header = append(t.Header, term.Cell{Text: name})
	}
	for _, c := range r.Classes {
		row := []term.Cell{{Text: c.Label}, {Text: strconv.Itoa(c.Rows)}}
		for _, f := range []*scoring.MetricValue{c.Precision, c.Recall, c.F1} {
			row = append(row, MetricCell(f), narrowIntervalCell(f))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// ConfusionTable returns a table of the number of rows by true and predicted class.
func ConfusionTable(r *scoring.Result) *term.Table {
	t := &term.Table{Header: []term.Cell{{Text: "true \\ predicted"}}, Right: []bool{false}}
	for i, c := range r.Classes {
		t.Header, t.Right = append(t.Header, term.Cell{Text: c.Label}), append(t.Right, true)
		row := []term.Cell{{Text: c.Label}}
		for _, n := range r.Confusion[i] {
			row = append(row, term.Cell{Text: strconv.Itoa(n)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// MetricCell formats a score. It returns a dash if f is nil.
func MetricCell(f *scoring.MetricValue) term.Cell {
	if f == nil {
		return term.Cell{Text: "-"}
	}
	return ScoreCell(f.Value)
}

// IntervalCell formats the interval of a score. The cell is empty if the interval is unknown.
func IntervalCell(f *scoring.MetricValue) term.Cell {
	if f == nil || f.Low == nil {
		return term.Cell{}
	}
	return term.Cell{Text: fmt.Sprintf("%.4f–%.4f", *f.Low, *f.High), Short: narrowIntervalCell(f).Text}
}

// narrowIntervalCell is like [IntervalCell], but shorter, for a table with many columns.
func narrowIntervalCell(f *scoring.MetricValue) term.Cell {
	if f == nil || f.Low == nil {
		return term.Cell{}
	}
	return term.Cell{Text: (&api.Interval{Low: *f.Low, High: *f.High}).String()}
}

// ChangedRowsTable returns a table of the rows that are predicted differently.
func ChangedRowsTable(d *scoring.Difference) *term.Table {
	t := &term.Table{Header: term.TextCells("id", "from", "to")}
	if d.Truth != nil {
		t.Header = append(t.Header, term.Cell{Text: "truth"})
	}
	for _, f := range d.ChangedRows {
		row := term.TextCells(f.ID, f.From, f.To)
		if d.Truth != nil {
			row = append(row, term.Cell{Text: f.Truth})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// MaxChangedRows is the maximum number of changed rows printed on a terminal.
const MaxChangedRows = 20

// ScoreCell formats a score.
func ScoreCell(v float64) term.Cell { return term.Cell{Text: strconv.FormatFloat(v, 'f', 4, 64)} }
