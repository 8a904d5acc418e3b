package modelreport

import (
	"foretell/internal/api"
	"foretell/internal/learn"
)

// addCurves copies the curves, the partial dependence and the interactions from r to out.
func addCurves(out *api.ModelReport, r *learn.Report) {
	out.CurveClasses = r.CurveClasses
	out.Reliability = toReliability(r.Reliability)
	for _, c := range r.Curves {
		out.Curves = append(out.Curves, toClassCurve(&c))
	}
	for _, d := range r.PartialDependence {
		one := api.PartialDependence{Column: d.Column}
		for _, p := range d.Points {
			one.Points = append(one.Points, api.PartialDependencePoint{
				Value: p.Value, Number: api.NumberOrNil(p.Number), Rows: int64(p.Rows), Probabilities: p.Probabilities,
			})
		}
		out.PartialDependence = append(out.PartialDependence, one)
	}
	for _, x := range r.Interactions {
		out.Interactions = append(out.Interactions, api.Interaction{
			Columns: x.Columns[:], Class: x.Class, Strength: x.Strength, Share: x.Share,
			Values: [][]string{x.Values[0], x.Values[1]}, Probabilities: x.Probabilities,
		})
	}
}

func toClassCurve(c *learn.ClassCurve) api.ClassCurve {
	out := api.ClassCurve{
		Label: c.Label, Positives: int64(c.Positives), Negatives: int64(c.Negatives),
		Points: make([]api.CurvePoint, len(c.Points)), Reliability: toReliability(c.Reliability),
	}
	for i, p := range c.Points {
		out.Points[i] = api.CurvePoint{
			Threshold: p.Threshold, TruePositives: int64(p.TruePositives), FalsePositives: int64(p.FalsePositives),
			Precision:         float64(p.TruePositives) / float64(p.TruePositives+p.FalsePositives),
			Recall:            float64(p.TruePositives) / float64(max(c.Positives, 1)),
			FalsePositiveRate: float64(p.FalsePositives) / float64(max(c.Negatives, 1)),
		}
	}
	return out
}

func toReliability(bins []learn.ReliabilityBin) []api.ReliabilityBin {
	var out []api.ReliabilityBin
	for _, b := range bins {
		out = append(out, api.ReliabilityBin{
			Low: b.Low, High: b.High, Rows: int64(b.Rows),
			Predicted: api.NumberOrNil(b.Predicted), Observed: api.NumberOrNil(b.Observed), Interval: toInterval(b.Interval),
		})
	}
	return out
}
