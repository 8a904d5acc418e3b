// Package report writes a model's report, and explanations of rows, as text for a
// terminal.
package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"foretell/internal/api"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// MaxConfusionClasses is the maximum number of classes of a printed confusion matrix. The
// JSON form has all classes.
const MaxConfusionClasses = 12

// maxImportances and maxClasses are the maximum numbers of printed columns and classes.
const (
	maxImportances = 20
	maxClasses     = 40
)

// narrowWidth is the width below which less important columns are omitted. wideWidth is the
// width from which all scores have intervals, and pictures and tables of effects are wide.
const (
	narrowWidth = 60
	wideWidth   = 76
)

// WriteText writes d as text in sections: verdict, cautions, scores, classes, confusion,
// calibration, importances, partial dependence, interactions, race, drift, and the commands that
// reproduce the model. No line of a table exceeds width, which should be at least 40. Long names
// are truncated, and a confusion matrix that does not fit is omitted. If width is below 60, the
// scores on training rows, the numbers of steps and the pictures are omitted, too.
func WriteText(w io.Writer, d *Document, width int) error {
	var b strings.Builder
	r := d.Report
	fmt.Fprintf(&b, "Model %s\n%s, raced for %s on %d rows (seed %d%s)\n", r.ModelKey, api.AlgorithmTitle(r.Algorithm), r.Metric, r.Rows, r.Seed, formatEffort(r))
	writeBlend(&b, r)
	if text := formatFeatures(r); text != "" {
		fmt.Fprintf(&b, "Features: %s\n", text)
	}
	b.WriteString(formatClassWeights(r))
	if text := ExplainMonotone(r); text != "" {
		writeSentences(&b, "", []string{text}, width)
	}
	if text := describeSplit(r); text != "" {
		fmt.Fprintf(&b, "%s\n", text)
	}
	if won := ExplainWin(r); won != "" {
		fmt.Fprintf(&b, "%s\n", won)
	}
	writeSentences(&b, "", Verdict(r), width)
	writeSentences(&b, "What could be wrong\n", d.Cautions(), width)
	writeScores(&b, d.Dataset, r, width)
	writeClasses(&b, r, width)
	writeConfusion(&b, r, width)
	writeReliability(&b, r, width)
	writeImportances(&b, r, width)
	writeEffects(&b, r, width)
	writeInteractions(&b, r, width)
	writeRace(&b, r, width)
	writeRaceCurves(&b, r, width)
	writeDrift(&b, d.Drift, width)
	writeReproductionSteps(&b, d)
	_, err := io.WriteString(w, b.String())
	return err
}

// formatEffort returns the effort of the race after a comma, or "" for the default.
func formatEffort(r *api.ModelReport) string {
	if r.Effort == "" {
		return ""
	}
	return ", effort " + r.Effort
}

// formatClassWeights returns a line with the class weights of the race, or "" if they are equal.
func formatClassWeights(r *api.ModelReport) string {
	if len(r.ClassWeights) == 0 {
		return ""
	}
	w := api.ClassWeights{ByClass: make(map[string]float64)}
	for label, weight := range r.ClassWeights {
		w.ByClass[label] = math.Round(weight*1e4) / 1e4
	}
	return "Class weights " + w.String() + ": the class with the highest probability × weight is predicted\n"
}

// writeSentences writes sentences, wrapped to width: as a list below title or, if title
// is "", as one paragraph.
func writeSentences(w io.Writer, title string, sentences []string, width int) {
	if len(sentences) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s", title)
	if title == "" {
		for _, line := range term.Wrap(strings.Join(sentences, " "), width) {
			fmt.Fprintln(w, line)
		}
		return
	}
	for _, sentence := range sentences {
		for i, line := range term.Wrap(sentence, width-2) {
			fmt.Fprintf(w, "%s%s\n", map[bool]string{true: "- ", false: "  "}[i == 0], line)
		}
	}
}

// writeReproductionSteps writes how to reproduce the model. It writes nothing if the dataset or the
// race is unknown.
func writeReproductionSteps(w io.Writer, d *Document) {
	if d.Dataset == nil || d.Training == nil {
		return
	}
	fmt.Fprint(w, "\nHow to reproduce it\n")
	if d.Dataset.SHA256 != "" {
		fmt.Fprintf(w, "The SHA-256 of the uploaded training file is\n  %s\n", d.Dataset.SHA256)
	}
	for _, step := range d.Steps() {
		fmt.Fprintf(w, "%s\n  %s\n", step.Purpose, step.Command)
	}
}

// describeSplit returns how the rows were divided, or "" if they were divided at random.
func describeSplit(r *api.ModelReport) string {
	switch group, clock := quoteColumn(r.GroupColumn), quoteColumn(r.TimeColumn); {
	case r.GroupColumn != "" && r.TimeColumn != "":
		return fmt.Sprintf("By %s, the scored rows are later than the training rows. By %s, they belong to other groups", clock, group)
	case r.GroupColumn != "":
		return fmt.Sprintf("By %s, the scored rows belong to other groups than the training rows", group)
	case r.TimeColumn != "":
		return fmt.Sprintf("By %s, the scored rows are later than the training rows", clock)
	}
	return ""
}

// quoteColumn quotes the name of a column, truncated if it is long.
func quoteColumn(name string) string { return strconv.Quote(escapeAndTruncate(name, 40)) }

// writeAligned calls write and writes its output to w, as a table with aligned columns. write
// separates the cells of a line by tabs. If right is set, all columns are aligned to the right, and
// the table is indented.
func writeAligned(w io.Writer, right bool, write func(io.Writer)) {
	var text strings.Builder
	write(&text)
	t := &term.Table{NoTruncate: true}
	for line := range strings.Lines(text.String()) {
		if right {
			line = "  " + line
		}
		row := term.TextCells(strings.Split(strings.TrimRight(line, "\t\n"), "\t")...)
		for len(t.Right) < len(row) {
			t.Right = append(t.Right, right)
		}
		t.Rows = append(t.Rows, row)
	}
	for i, row := range t.Rows {
		t.Rows[i] = append(row, make([]term.Cell, len(t.Right)-len(row))...)
	}
	_ = t.WriteAligned(w, math.MaxInt, false) // w is a strings.Builder
}

// writeBlend writes the algorithms of a blend and their weights in one line.
func writeBlend(w io.Writer, r *api.ModelReport) {
	if len(r.Blend) > 0 {
		fmt.Fprintf(w, "Blend of %s\n", r.FormatBlend())
	}
}

// isMeasured reports whether the metric is known for the test, validation or training rows.
func isMeasured(r *api.ModelReport, name string) bool {
	return formatMetric(r.Test, name)+formatMetric(r.Validation, name)+formatMetric(r.Training, name) != "---"
}

// writeScores writes each score with its interval and the baseline. d may be nil.
func writeScores(w io.Writer, d *api.Dataset, r *api.ModelReport, width int) {
	fmt.Fprint(w, "\nScores\n")
	names := api.ReportMetrics()
	if strings.Contains(r.Metric, "[") { // a metric of one class
		names = append(names, r.Metric)
	}
	writeAligned(w, true, func(w io.Writer) {
		line := func(name, test, validation, training string) {
			fmt.Fprintf(w, "%s\t%s\t%s\t", name, test, validation)
			if width >= narrowWidth {
				fmt.Fprintf(w, "%s\t", training)
			}
			fmt.Fprint(w, "\n")
		}
		line("", "test", map[bool]string{true: "validation", false: "valid"}[width >= narrowWidth], "training")
		for _, name := range names {
			if name != r.Metric && !isMeasured(r, name) {
				continue // for example, reports of earlier versions lack the Brier score
			}
			test, validation := formatMetric(r.Test, name), formatMetric(r.Validation, name)
			if width >= narrowWidth {
				test = formatMetricAndInterval(r.Test, name)
			}
			if width >= wideWidth {
				validation = formatMetricAndInterval(r.Validation, name)
			}
			line(term.Escape(name), test, validation, formatMetric(r.Training, name))
			if b := r.Baseline; b != nil && formatMetric(b.Test, name)+formatMetric(b.Validation, name) != "--" {
				line(baselineName(b.Label, min(width/4-3, 16)), formatMetric(b.Test, name), formatMetric(b.Validation, name), "")
			}
		}
		line("rows", formatRows(r.Test, r.TestRows), formatRows(r.Validation, r.ValidationRows), formatRows(r.Training, r.TrainingRows))
	})
	writePRAUCClass(w, d, r)
	if why := r.TestMissingReason(); why != "" {
		fmt.Fprintf(w, "test not measured: %s\n", why)
	}
}

// formatMetric formats a metric of s. It returns a dash if the metric is unknown.
func formatMetric(s *api.Scores, name string) string {
	value, known := s.Value(name)
	if !known {
		return "-"
	}
	return formatScore(value)
}

// formatMetricAndInterval formats a metric of s with its interval. It returns a dash if the metric
// is unknown.
func formatMetricAndInterval(s *api.Scores, name string) string {
	value, known := s.Value(name)
	if !known {
		return "-"
	}
	return formatWithInterval(value, s.Interval(name), narrowIntervalWidth)
}

// formatWithInterval formats a score with its 95 % interval, as in "0.7589 ± 0.08". It writes a
// very asymmetric interval with both ends, as in "1.0000 (0.98–1.00)"; the ends of a narrow
// interval have three decimals. It omits the ends if the text would have more than width
// characters. i may be nil.
func formatWithInterval(value float64, i *api.Interval, width int) string {
	score := formatScore(value)
	if i == nil {
		return score
	}
	below, above := value-i.Low, i.High-value
	if min(below, above) >= max(below, above)/2 {
		return score + " " + i.FormatMargin()
	}
	ends := " (" + i.Format(2) + ")"
	if i.High-i.Low < 0.02 {
		ends = " (" + i.Format(3) + ")"
	}
	if utf8.RuneCountInString(score+ends) > width {
		return score
	}
	return score + ends
}

// The width of a cell with a score and the ends of its interval. The ends have two decimals or, if
// the interval is narrow, three.
const (
	intervalWidth       = len("0.0000 (0.00-0.00)")
	narrowIntervalWidth = len("0.0000 (0.000-0.000)")
)

// formatRows formats the number of rows behind scores. It returns "" if the number is
// unknown.
func formatRows(s *api.Scores, rows int64) string {
	if rows == 0 && s != nil {
		return ""
	}
	return strconv.FormatInt(rows, 10)
}

func writeClasses(w io.Writer, r *api.ModelReport, width int) {
	if len(r.Classes) == 0 || r.TestRows == 0 {
		return
	}
	fmt.Fprint(w, "\nClasses, on test rows\n")
	writeAligned(w, true, func(w io.Writer) {
		fmt.Fprint(w, "\trows\tprecision\trecall\tf1\t\n")
		for _, c := range r.Classes[:min(len(r.Classes), maxClasses)] {
			score := func(name string, value *float64) string {
				if value == nil {
					return "-"
				}
				if interval, known := c.Intervals[name]; known && width >= wideWidth {
					return formatWithInterval(*value, &interval, intervalWidth)
				}
				return formatScore(*value)
			}
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t\n", escapeAndTruncate(c.Label, max(6, width-66)), c.Rows,
				score("precision", c.Precision), score("recall", c.Recall), score("f1", c.F1))
		}
	})
	writeOmittedCount(w, len(r.Classes)-maxClasses, "class")
}

func writeConfusion(w io.Writer, r *api.ModelReport, width int) {
	n := len(r.Classes)
	if n == 0 || n > MaxConfusionClasses || len(r.Confusion) != n {
		return
	}
	// Counts are not truncated. The labels are truncated, so that all columns have the same
	// width.
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
	writeAligned(w, true, func(w io.Writer) {
		for _, c := range r.Classes {
			fmt.Fprintf(w, "\t%s", escapeAndTruncate(c.Label, each))
		}
		fmt.Fprint(w, "\t\n")
		for i, row := range r.Confusion {
			fmt.Fprintf(w, "%s\t", escapeAndTruncate(r.Classes[i].Label, each))
			for _, count := range row {
				fmt.Fprintf(w, "%d\t", count)
			}
			fmt.Fprint(w, "\n")
		}
	})
}

func writeImportances(w io.Writer, r *api.ModelReport, width int) {
	if r.Importances == nil && r.Rows > 0 {
		fmt.Fprint(w, "\nImportance: not measured\n")
	}
	if len(r.Importances) == 0 {
		return
	}
	fmt.Fprintf(w, "\nImportance: %s lost when a column is shuffled\n", r.ImportanceName())
	shown := r.Importances[:min(len(r.Importances), maxImportances)]
	name, largest := 0, 0.0
	for _, i := range shown {
		name = max(name, term.Width(escapeAndTruncate(i.Column, width/2)))
		largest = max(largest, i.Importance)
	}
	bar := min(40, max(0, width-name-13))
	if width >= wideWidth {
		bar = max(0, min(40, width-name-23))
	}
	writeAligned(w, false, func(w io.Writer) {
		for _, i := range shown {
			score := formatScore(i.Importance)
			if width >= wideWidth {
				score = strings.TrimRight(score+" "+i.Interval.FormatMargin(), " ")
			}
			fmt.Fprintf(w, "  %s\t%7s", escapeAndTruncate(i.Column, width/2), score)
			if drawn := blockBar(i.Importance, largest, bar); drawn != "" {
				fmt.Fprintf(w, "\t%s", drawn)
			}
			fmt.Fprint(w, "\n")
		}
	})
	writeOmittedCount(w, len(r.Importances)-maxImportances, "column")
}

// blockBar draws a bar for value, with a resolution of an eighth of a character. The bar for
// largest has the given width.
func blockBar(value, largest float64, width int) string {
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

func formatScore(v float64) string { return fmt.Sprintf("%.4f", v) }

// escapeAndTruncate escapes a name and shortens it to at most width columns of a terminal.
func escapeAndTruncate(name string, width int) string { return term.Truncate(term.Escape(name), width) }

// writeOmittedCount writes how many items are not shown. noun names an item, such as
// column. It writes nothing if count is not positive.
func writeOmittedCount(w io.Writer, count int, noun string) {
	if count > 0 {
		fmt.Fprintf(w, "  … and %s, see --json\n", humanize.Count(count, "more "+noun))
	}
}
