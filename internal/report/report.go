// Package report writes a model's report as text for a terminal.
package report

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"foretell/internal/api"
)

// MaxConfusionClasses is up to how many classes the confusion matrix is shown:
// a wider one does not fit a screen. It is whole in the JSON form.
const MaxConfusionClasses = 12

// maxImportances and maxClasses are how many columns and classes are listed.
const (
	maxImportances = 20
	maxClasses     = 40
)

// WriteText writes r in sections: scores, classes, confusion, importances, the
// race. No line is wider than width, from 60 columns on: names are cut, and a
// matrix that does not fit is left out.
func WriteText(w io.Writer, r *api.ModelReport, width int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Model %s\n%s, raced for %s on %d rows (seed %d)\n", r.ModelKey, r.Algorithm, r.Metric, r.Rows, r.Seed)
	writeBlend(&b, r)
	writeScores(&b, r)
	writeClasses(&b, r, width)
	writeConfusion(&b, r, width)
	writeImportances(&b, r, width)
	writeRace(&b, r)
	_, err := io.WriteString(w, b.String())
	return err
}

// columns aligns what write gives it, cells ended by tabs.
func columns(w io.Writer, flags uint, write func(io.Writer)) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', flags)
	write(t)
	_ = t.Flush() // w is a strings.Builder
}

// writeBlend names the algorithms of a blend in one line.
func writeBlend(w io.Writer, r *api.ModelReport) {
	if len(r.Blend) > 0 {
		fmt.Fprintf(w, "Blend of %s\n", r.Shares())
	}
}

func writeScores(w io.Writer, r *api.ModelReport) {
	fmt.Fprint(w, "\nScores\n")
	rows := []struct {
		name string
		of   func(api.Scores) float64
	}{
		{"accuracy", func(s api.Scores) float64 { return s.Accuracy }},
		{"balancedAccuracy", func(s api.Scores) float64 { return s.BalancedAccuracy }},
		{"macroF1", func(s api.Scores) float64 { return s.MacroF1 }},
		{"rocAuc", func(s api.Scores) float64 { return s.ROCAUC }},
		{"logLoss", func(s api.Scores) float64 { return s.LogLoss }},
	}
	columns(w, tabwriter.AlignRight, func(w io.Writer) {
		fmt.Fprint(w, "\ttest\tvalidation\ttraining\t\n")
		for _, row := range rows {
			fmt.Fprintf(w, "%s", row.name)
			for _, of := range []measure{{r.Test, r.TestRows}, {r.Validation, r.ValidationRows}, {r.Training, r.TrainingRows}} {
				fmt.Fprintf(w, "\t%s", of.figure(row.of))
			}
			fmt.Fprint(w, "\t\n")
		}
		fmt.Fprintf(w, "rows\t%d\t%d\t%s\t\n", r.TestRows, r.ValidationRows, measure{r.Training, r.TrainingRows}.count())
	})
}

// measure is figures and the rows that they come from. Services that tell no
// rows have figures all the same.
type measure struct {
	api.Scores
	rows int64
}

// figure gives one of the figures, or a dash for one that was not measured.
func (m measure) figure(of func(api.Scores) float64) string {
	if m.rows == 0 && m.Scores == (api.Scores{}) {
		return "-"
	}
	return figure(of(m.Scores))
}

// count gives the rows; nothing where there are figures of an unknown number.
func (m measure) count() string {
	if m.rows == 0 && m.Scores != (api.Scores{}) {
		return ""
	}
	return strconv.FormatInt(m.rows, 10)
}

func writeClasses(w io.Writer, r *api.ModelReport, width int) {
	if len(r.Classes) == 0 {
		return
	}
	fmt.Fprint(w, "\nClasses, on test rows\n")
	columns(w, tabwriter.AlignRight, func(w io.Writer) {
		fmt.Fprint(w, "\trows\tprecision\trecall\tf1\t\n")
		for _, c := range r.Classes[:min(len(r.Classes), maxClasses)] {
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t\n", cell(c.Label, width-44), c.Rows, figure(c.Precision), figure(c.Recall), figure(c.F1))
		}
	})
	more(w, len(r.Classes)-maxClasses, "classes")
}

func writeConfusion(w io.Writer, r *api.ModelReport, width int) {
	n := len(r.Classes)
	if n == 0 || n > MaxConfusionClasses || len(r.Confusion) != n {
		return
	}
	// Counts stay whole; the labels share what is left.
	each, counts := (width-2)/(n+1)-2, 0
	for _, row := range r.Confusion {
		for _, count := range row {
			counts = max(counts, len(fmt.Sprint(count)))
		}
	}
	if each < counts {
		return
	}
	fmt.Fprint(w, "\nConfusion on test rows (down: true, across: predicted)\n")
	columns(w, tabwriter.AlignRight, func(w io.Writer) {
		for _, c := range r.Classes {
			fmt.Fprintf(w, "\t%s", cell(c.Label, each))
		}
		fmt.Fprint(w, "\t\n")
		for i, row := range r.Confusion {
			fmt.Fprintf(w, "%s\t", cell(r.Classes[i].Label, each))
			for _, count := range row {
				fmt.Fprintf(w, "%d\t", count)
			}
			fmt.Fprint(w, "\n")
		}
	})
}

func writeImportances(w io.Writer, r *api.ModelReport, width int) {
	if len(r.Importances) == 0 {
		return
	}
	fmt.Fprintf(w, "\nImportance: %s lost when a column is shuffled\n", r.Metric)
	shown := r.Importances[:min(len(r.Importances), maxImportances)]
	name, largest := 0, 0.0
	for _, i := range shown {
		name = max(name, len([]rune(cell(i.Column, width/2))))
		largest = max(largest, i.Importance)
	}
	bar := min(40, max(0, width-name-13))
	columns(w, 0, func(w io.Writer) {
		for _, i := range shown {
			fmt.Fprintf(w, "  %s\t%7s", cell(i.Column, width/2), figure(i.Importance))
			if drawn := bars(i.Importance, largest, bar); drawn != "" {
				fmt.Fprintf(w, "\t%s", drawn)
			}
			fmt.Fprint(w, "\n")
		}
	})
	more(w, len(r.Importances)-maxImportances, "columns")
}

func writeRace(w io.Writer, r *api.ModelReport) {
	if len(r.Algorithms) == 0 {
		return
	}
	fmt.Fprint(w, "\nRace\n")
	columns(w, 0, func(w io.Writer) {
		fmt.Fprint(w, "  algorithm\tstatus\tperformance\tlogLoss\tsteps\n")
		for _, a := range r.Algorithms {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%d\n", a.Algorithm, a.Status, figure(a.Performance), figure(a.LogLoss), len(a.Curve))
		}
	})
}

// bars draws value as blocks, in eighths of a character.
func bars(value, largest float64, width int) string {
	if largest <= 0 || value <= 0 {
		return ""
	}
	eighths := int(math.Round(value / largest * float64(width) * 8))
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

func figure(v float64) string { return fmt.Sprintf("%.4f", v) }

// cell gives a name in at most width characters, its control characters, which
// would break the layout or steer the terminal, made visible.
func cell(name string, width int) string {
	name = control.ReplaceAllStringFunc(name, func(c string) string { return strings.Trim(strconv.QuoteToASCII(c), `"`) })
	if runes := []rune(name); len(runes) > width {
		return string(runes[:max(0, width-1)]) + "…"
	}
	return name
}

var control = regexp.MustCompile(`\p{Cc}`)

func more(w io.Writer, n int, what string) {
	if n > 0 {
		fmt.Fprintf(w, "  … and %d more %s, see --json\n", n, what)
	}
}
