package report

import (
	"fmt"
	"io"
	"strings"

	"foretell/internal/api"
	"foretell/internal/term"
)

// bothCurvesWidth is the minimum width of a report that shows the curves by step and by time side
// by side. curveWidth is the width of each curve. Both are in characters.
const (
	bothCurvesWidth = 70
	curveWidth      = 20
)

// writeRaceCurves writes the scores of each algorithm as a picture, by step and, if the times
// are known, by time.
func writeRaceCurves(w io.Writer, r *api.ModelReport, width int) {
	var scores []float64
	seconds := 0.0 // the time of the last score
	for _, a := range r.Algorithms {
		scores = append(scores, a.Curve...)
		if hasTimes(&a) {
			seconds = max(seconds, a.Seconds[len(a.Seconds)-1])
		}
	}
	if len(scores) == 0 || width < narrowWidth {
		return
	}
	low, high := term.CurveRange(scores, r.TargetPerformance)
	timed := seconds > 0 && width >= bothCurvesWidth
	fmt.Fprintf(w, "\nCurves of the race: %s from %s to %s\n", api.PerformanceName(r.Metric), formatScore(low), formatScore(high))
	writeAligned(w, false, func(w io.Writer) {
		fmt.Fprint(w, "  algorithm\tby step")
		if timed {
			fmt.Fprintf(w, "\tby time, 0–%s", formatSeconds(seconds))
		}
		fmt.Fprint(w, "\n")
		for _, a := range r.Algorithms {
			if len(a.Curve) == 0 {
				continue
			}
			fmt.Fprintf(w, "  %s\t%s", api.AlgorithmTitle(a.Algorithm), term.Sparkline(a.Curve, low, high, curveWidth))
			if timed && hasTimes(&a) {
				fmt.Fprintf(w, "\t%s", drawTimeline(&a, seconds, low, high))
			}
			fmt.Fprint(w, "\n")
		}
	})
}

// hasTimes reports whether the time of each score is known.
func hasTimes(a *api.AlgorithmReport) bool { return len(a.Curve) > 0 && len(a.Seconds) == len(a.Curve) }

// drawTimeline draws the scores of an algorithm in curveWidth characters, which stand for the time
// from 0 to end, in seconds. Each character shows the last score up to its time. Characters before
// the first score are blank, and nothing is drawn after the last score. The height of a character
// shows the score in the range from low to high.
func drawTimeline(algorithm *api.AlgorithmReport, end, low, high float64) string {
	var shown []float64
	blank, next := 0, 0
	for i := range curveWidth {
		began, until := float64(i)/curveWidth*end, float64(i+1)/curveWidth*end
		for next < len(algorithm.Seconds) && algorithm.Seconds[next] <= until*(1+1e-9) {
			next++
		}
		switch {
		case next == 0:
			blank++
		case next < len(algorithm.Seconds) || algorithm.Seconds[next-1] > began:
			shown = append(shown, algorithm.Curve[next-1])
		}
	}
	return strings.Repeat(" ", blank) + term.Sparkline(shown, low, high, curveWidth)
}

// formatSeconds formats a duration in seconds, with one decimal below 10 seconds: "2.5 s", "48 s".
func formatSeconds(seconds float64) string {
	if seconds < 10 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.0f s", seconds)
}
