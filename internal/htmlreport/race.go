package htmlreport

import (
	"foretell/internal/api"
	"foretell/internal/design"
)

// maxRacePoints is the maximum number of points in an algorithm's curve.
const maxRacePoints = 240

// RacePlot returns a plot with the curve of each algorithm of a race and a line at its threshold,
// which may be nil. scores holds the validation scores of each algorithm, oldest first.
func RacePlot(metric string, threshold *float64, names []string, scores [][]float64) *design.Plot {
	axes := design.Axes{Title: "The race", X: "scores so far", Y: api.PerformanceName(metric), Level: threshold, LevelName: "threshold", Empty: "no scores yet"}
	steps := make([][]float64, len(scores))
	for i, values := range scores {
		for step := range values {
			steps[i] = append(steps[i], float64(step+1))
		}
		axes.MaxX = max(axes.MaxX, float64(len(values)))
	}
	if axes.MaxX <= 1 {
		axes.MaxX = 5
	}
	return design.NewPlot(axes, raceCurves(names, steps, scores))
}

// raceCurves returns a curve for each algorithm. xs has, for each algorithm, the steps or
// the times of its scores.
func raceCurves(names []string, xs, scores [][]float64) []design.Curve {
	var curves []design.Curve
	for i, values := range scores {
		curve := design.Curve{Name: names[i], Style: i%4 + 1}
		for at, value := range values {
			curve.Points = append(curve.Points, design.Point{X: xs[i][at], Y: value})
		}
		curve.Points = design.SampleEvenly(curve.Points, maxRacePoints)
		if len(values) > 0 {
			curve.Note = design.FormatScore(values[len(values)-1])
		}
		curves = append(curves, curve)
	}
	return curves
}

// racePlots returns the curves of the race of a report by step and by time. Both are nil without
// scores. byTime is also nil if the time of a score is unknown.
func racePlots(r *api.ModelReport) (byStep, byTime *design.Plot) {
	var names []string
	var scores, seconds [][]float64
	timed := true
	for _, a := range r.Algorithms {
		if len(a.Curve) == 0 {
			continue
		}
		timed = timed && len(a.Seconds) == len(a.Curve)
		names, scores, seconds = append(names, api.AlgorithmTitle(a.Algorithm)), append(scores, a.Curve), append(seconds, a.Seconds)
	}
	if len(names) == 0 {
		return nil, nil
	}
	byStep = RacePlot(r.Metric, r.TargetPerformance, names, scores)
	if !timed {
		return byStep, nil
	}
	axes := design.Axes{Title: "The race by time", X: "seconds", Y: api.PerformanceName(r.Metric), Level: r.TargetPerformance, LevelName: "threshold"}
	for _, times := range seconds {
		axes.MaxX = max(axes.MaxX, times[len(times)-1])
	}
	byStep.Title = "The race by step"
	axes.MinY, axes.MaxY = byStep.MinY, byStep.MaxY // both plots have the same vertical axis
	return byStep, design.NewPlot(axes, raceCurves(names, seconds, scores))
}
