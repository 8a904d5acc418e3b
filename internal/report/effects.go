package report

import (
	"fmt"
	"io"

	"foretell/internal/api"
	"foretell/internal/term"
)

// writeReliability writes, for each bin of the probability of the most probable class, how often
// this class is right. It omits bins without rows.
func writeReliability(w io.Writer, r *api.ModelReport, width int) {
	if len(r.Reliability) == 0 {
		return
	}
	fmt.Fprint(w, "\nCalibration on test rows: the most probable class\n")
	writeAligned(w, true, func(w io.Writer) {
		fmt.Fprint(w, "probability\trows\tmean\tright\t\n")
		for _, bin := range r.Reliability {
			if bin.Predicted == nil || bin.Observed == nil {
				continue
			}
			right := formatScore(*bin.Observed)
			if width >= narrowWidth {
				right = formatWithInterval(*bin.Observed, bin.Interval, narrowIntervalWidth)
			}
			fmt.Fprintf(w, "%.1f–%.1f\t%d\t%s\t%s\t\n", bin.Low, bin.High, bin.Rows, formatScore(*bin.Predicted), right)
		}
	})
}

// effectWidth is the width, in characters, of the picture of an effect. narrowEffectWidth is its
// width on a narrow terminal.
const (
	effectWidth       = 20
	narrowEffectWidth = 10
)

// writeEffects writes how the mean probability of a class depends on the most important columns. It
// chooses the class whose probability changes most. For a column of numbers or dates, it draws a
// chart whose horizontal axis goes from the least to the greatest value.
func writeEffects(w io.Writer, r *api.ModelReport, width int) {
	if len(r.PartialDependence) == 0 || width < narrowWidth {
		return
	}
	fmt.Fprint(w, "\nPartial dependence: mean probability if all rows had the same value\n")
	pictureWidth := effectWidth
	if width < wideWidth {
		pictureWidth = narrowEffectWidth
	}
	writeAligned(w, false, func(w io.Writer) {
		for _, d := range r.PartialDependence {
			class, low, high := mostChangedClass(&d)
			if class < 0 || class >= len(r.CurveClasses) {
				continue
			}
			values := make([]float64, len(d.Points))
			for i, p := range d.Points {
				values[i] = p.Probabilities[class]
			}
			first, last := d.Points[0], d.Points[len(d.Points)-1]
			cells, picture := fmt.Sprintf("%d values", len(d.Points)), ""
			if first.Number != nil {
				cells = escapeAndTruncate(first.Value, 10) + "…" + escapeAndTruncate(last.Value, 10)
				picture = term.Sparkline(values, low, high, pictureWidth)
			}
			fmt.Fprintf(w, "  %s\t%s\t%s %.2f–%.2f\t%s\n", escapeAndTruncate(d.Column, width/4), cells, escapeAndTruncate(r.CurveClasses[class], width/8), low, high, picture)
		}
	})
}

// mostChangedClass returns the index of the class whose probability changes most, and the least and
// the greatest value of this probability. The index is -1 if there are no points, or if a point has
// no probabilities.
func mostChangedClass(d *api.PartialDependence) (class int, low, high float64) {
	class = -1
	classes := 0
	for i, p := range d.Points {
		if i == 0 {
			classes = len(p.Probabilities)
		}
		classes = min(classes, len(p.Probabilities))
	}
	for c := range classes {
		least, greatest := d.Points[0].Probabilities[c], d.Points[0].Probabilities[c]
		for _, p := range d.Points {
			least, greatest = min(least, p.Probabilities[c]), max(greatest, p.Probabilities[c])
		}
		if class < 0 || greatest-least > high-low {
			class, low, high = c, least, greatest
		}
	}
	return class, low, high
}
