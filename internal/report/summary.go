package report

import (
	"cmp"
	"fmt"
	"strings"

	"foretell/internal/api"
)

// Summary tells in a few lines how a race went: what was kept and why, its
// scores with their intervals and rows, and the baseline. The
// first line begins with the algorithm. took is how long it took, in words. r may
// be nil, because a report is an extension: then the lines say what job does.
func Summary(job *api.Training, algorithm string, r *api.ModelReport, took string) []string {
	if r == nil {
		r = &api.ModelReport{}
	}
	name := cmp.Or(algorithm, r.Algorithm)
	lines := []string{api.AlgorithmTitle(name) + strings.TrimPrefix(won(job, name, r), name) + ", after " + took}
	if len(r.Blend) > 0 {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", "made of", r.Shares()))
	}
	if text := featureText(r); text != "" {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", "features", text))
	}
	add := func(name string, value *float64, s *api.Scores, rows int64, why string) {
		switch {
		case value != nil:
			line := fmt.Sprintf("  %-10s  %s %s", name, job.Metric, formatScore(*value))
			if i := s.Interval(job.Metric); i != nil {
				line += fmt.Sprintf(" (%s)", i)
			}
			if rows > 0 {
				line += " on " + plural(rows)
			}
			lines = append(lines, line)
		case r.Rows > 0: // else nothing is known of it
			lines = append(lines, fmt.Sprintf("  %-10s  not measured: %s", name, why))
		}
	}
	add("validation", job.AchievedPerformance, r.Validation, r.ValidationRows, "too few rows to set some aside")
	add("test", job.TestPerformance, r.Test, r.TestRows, r.WhyTestMissing())
	if r.Validation != nil {
		loss := bothScores(r.Validation, r.Test, api.MetricLogLoss)
		if c := candidate(r, r.Algorithm); c != nil && formatScore(c.LogLoss) != scoreOf(r.Validation, api.MetricLogLoss) {
			loss += "; calibrated after the race"
		}
		lines = append(lines, fmt.Sprintf("  %-10s  %s", "log loss", loss))
	}
	if b := r.Baseline; b != nil && b.Validation != nil {
		lines = append(lines, fmt.Sprintf("  %-10s  %s: %s %s", "baseline", baselineName(b.Label), job.Metric, bothScores(b.Validation, b.Test, job.Metric)))
	}
	return lines
}

// featureText says how many features were learnt from; nothing if that is all.
func featureText(r *api.ModelReport) string {
	if r.ScreenedFeatures == 0 {
		return ""
	}
	return fmt.Sprintf("each fold's %d most informative of %d", r.ScreenedFeatures, r.Features)
}

// bothScores returns a score on two sets of rows; test may be nil.
func bothScores(validation, test *api.Scores, name string) string {
	text := "validation " + scoreOf(validation, name)
	if test != nil {
		text += ", test " + scoreOf(test, name)
	}
	return text
}

// baselineName names the baseline.
func baselineName(label string) string { return `always "` + truncate(label, 16) + `"` }

func plural(rows int64) string {
	if rows == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", rows)
}

// won says what the model was kept for, as Won does where the report tells.
func won(job *api.Training, algorithm string, r *api.ModelReport) string {
	name := cmp.Or(algorithm, "the best model")
	text := Won(r)
	switch {
	case text == "" && job.Outcome == api.OutcomeReached && job.TargetPerformance != nil:
		text = fmt.Sprintf("%s reached %g", name, *job.TargetPerformance)
	case text == "":
		text = name + " won"
	}
	if job.Outcome == api.OutcomeTimeLimit {
		text += " at the time limit"
	}
	return text
}
