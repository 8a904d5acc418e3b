package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/term"
)

// Tabulate returns a table with a row for each record and a column for each field in
// columns.
func (o *Output) Tabulate(records []term.Record, columns []string) *term.Table {
	t := &term.Table{Right: make([]bool, len(columns)), NoTruncate: o.NoTruncate}
	for i, name := range columns {
		t.Header = append(t.Header, term.Cell{Text: name, Display: columnHeading(name, i == 0), Short: shortHeadings[name]})
	}
	for _, r := range records {
		row := make([]term.Cell, len(columns))
		for i, name := range columns {
			row[i] = o.formatCell(name, r)
			if _, err := strconv.ParseFloat(row[i].Text, 64); err == nil {
				t.Right[i] = true
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// shortHeadings are short headings for a narrow terminal.
var shortHeadings = map[string]string{"seriesVersion": "v", "version": "v", "achievedPerformance": "valid", "champion": "*", "numberOfBuckets": "bins"}

// columnHeading returns the heading of a field on a terminal, which may be shorter than the name of
// the field. isFirst is set for the first column.
func columnHeading(name string, isFirst bool) string {
	switch {
	case isFirst && strings.HasSuffix(name, "Key"):
		return "key"
	case name == "datasetName":
		return "dataset"
	case name == "seriesVersion":
		return "version"
	case name == "bytes":
		return "size"
	case strings.HasPrefix(name, "numberOf"):
		return strings.ToLower(strings.TrimPrefix(name, "numberOf"))
	}
	for _, ending := range []string{"Performance", "Performances", "On"} {
		if short := strings.TrimSuffix(name, ending); short != name {
			return short
		}
	}
	return name
}

// formatCell returns the table cell of a field. On a terminal, times are relative, keys can be
// shortened, scores have four decimals, and states are coloured.
func (o *Output) formatCell(name string, r term.Record) term.Cell {
	text := r.Text(name)
	c := term.Cell{Text: text}
	figure := strings.HasSuffix(name, "Performance") || name == api.MetricLogLoss
	switch {
	case text == "" && figure:
		c.Display = "-" // no score
	case text == "":
	case strings.HasSuffix(name, "On"):
		if then, err := time.Parse(api.TimeLayout, text); err == nil {
			c.Display, c.Short = term.FormatRelativeTime(then, o.Factory.Now()), term.FormatRelativeTimeShort(then, o.Factory.Now())
		}
	case strings.HasSuffix(name, "Key") && len(text) == keyLength:
		c.Short = text[:shortKeyLength]
	case figure:
		if v, err := strconv.ParseFloat(text, 64); err == nil && v != math.Trunc(v) {
			c.Display = strconv.FormatFloat(v, 'f', 4, 64)
		}
		var interval *api.Interval
		if err := json.Unmarshal(r[strings.TrimSuffix(name, "Performance")+"Interval"], &interval); err == nil && interval != nil {
			c.Short = cmp.Or(c.Display, text)
			c.Display = fmt.Sprintf("%s (%s)", c.Short, interval)
		}
	case name == "champion":
		c.Short = map[string]string{"true": "*", "false": "-"}[text]
	case name == "bytes" || strings.HasSuffix(name, "Bytes") || name == "memory" && text != "0":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			c.Display = term.FormatBytes(n)
		}
	case name == "recentPerformances":
		var values []float64
		if json.Unmarshal(r[name], &values) == nil {
			c.Display = strings.Trim(fmt.Sprintf("%.4f", values), "[]")
		}
	case name == "algorithm":
		c.Display, c.Short = api.AlgorithmTitle(text), text
	case name == "status" && isInterrupted(r):
		c.Display, c.Style = "interrupted", o.Factory.Console.OutStyle.Yellow
	case name == "status":
		c.Style = o.statusStyle(text)
	case name == "outcome":
		var threshold *float64
		if v, err := strconv.ParseFloat(r.Text("targetPerformance"), 64); err == nil {
			threshold = &v
		}
		c.Display, c.Style = api.FormatOutcome(text, threshold), o.outcomeStyle(text)
	}
	return c
}

func (o *Output) statusStyle(status string) func(string) string {
	style := o.Factory.Console.OutStyle
	switch status {
	case api.DatasetCompleted:
		return style.Green
	case api.DatasetFailed, api.PredictionTimeout:
		return style.Red
	case api.TrainingNotCompleted, api.TrainingTimedOut, api.TrainingCancelled:
		return style.Yellow
	case api.DatasetPending, api.DatasetProcessing, api.TrainingRunning:
		return style.Cyan
	}
	return nil
}

func (o *Output) outcomeStyle(outcome string) func(string) string {
	style := o.Factory.Console.OutStyle
	switch outcome {
	case api.OutcomeReached, api.OutcomeDone:
		return style.Green
	case api.OutcomeFailed:
		return style.Red
	case api.OutcomeBelow, api.OutcomeTimeLimit, api.OutcomeCancelled, api.OutcomeInterrupted:
		return style.Yellow
	case api.OutcomePending, api.OutcomeRunning:
		return style.Cyan
	}
	return nil
}

const (
	keyLength = 36 // length of a full key
	// shortKeyLength is the length of a key on a narrow terminal.
	shortKeyLength = 8
	// MinKeyPrefix is the minimum length of a key prefix in a reference.
	MinKeyPrefix = 6
	// LastRef is the reference to the newest object.
	LastRef = "@last"
)
