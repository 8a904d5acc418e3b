package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"foretell/internal/api"
)

// ExplainWin returns a sentence that explains why the model was kept, such as "BLEND was chosen by
// log loss: 0.4912, best single BSIX01 0.5030 (lower is better)". If an algorithm reached the
// threshold, the sentence says so instead. ExplainWin returns "" if there was nothing to compare.
func ExplainWin(r *api.ModelReport) string {
	winner := findCandidate(r, r.Algorithm)
	if winner == nil {
		return ""
	}
	if r.TargetPerformance != nil && slices.ContainsFunc(r.Algorithms, func(a api.AlgorithmReport) bool { return a.Outcome == api.OutcomeReached }) {
		return fmt.Sprintf("%s reached %s %s first, with %s", r.Algorithm, api.PerformanceName(r.Metric), formatScore(*r.TargetPerformance), formatScore(winner.Performance))
	}
	name, other := runnerUp(r)
	switch {
	case other == nil:
		return ""
	case winner.LogLoss <= other.LogLoss, r.Algorithm == blend && formatScore(winner.LogLoss) == formatScore(other.LogLoss):
		return fmt.Sprintf("%s was chosen by log loss: %s, %s %s (lower is better)", r.Algorithm, formatScore(winner.LogLoss), name, formatScore(other.LogLoss))
	case r.Blended != nil && r.Algorithm == blend:
		return fmt.Sprintf("%s was chosen, although its log loss on the validation rows is higher (%s, %s %s), because a blend is usually better on new rows",
			r.Algorithm, formatScore(winner.LogLoss), name, formatScore(other.LogLoss))
	}
	return fmt.Sprintf("%s was chosen by %s: %s, %s %s", r.Algorithm, api.PerformanceName(r.Metric), formatScore(winner.Performance), name, formatScore(other.Performance))
}

// blend is the algorithm code of a blend.
const blend = "BLEND"

// findCandidate returns the scores that an algorithm or the blend had when the model was chosen. It
// returns nil if the scores are unknown.
func findCandidate(r *api.ModelReport, algorithm string) *api.Candidate {
	if algorithm == blend {
		return r.Blended
	}
	for _, a := range r.Algorithms {
		if a.Algorithm == algorithm && a.Performance != nil && a.LogLoss != nil {
			return &api.Candidate{Performance: *a.Performance, LogLoss: *a.LogLoss, Interval: a.Interval}
		}
	}
	return nil
}

// runnerUp returns the candidate with the lowest log loss, except the winner, and its name for a
// sentence, such as "next best BSIX01". It returns nil if there is no other candidate.
func runnerUp(r *api.ModelReport) (name string, other *api.Candidate) {
	word := "next best"
	if r.Algorithm == blend {
		word = "best single"
	}
	names := []string{blend}
	for _, a := range r.Algorithms {
		names = append(names, a.Algorithm)
	}
	for _, one := range names {
		c := findCandidate(r, one)
		if one != r.Algorithm && c != nil && (other == nil || c.LogLoss < other.LogLoss) {
			name, other = word+" "+one, c
		}
	}
	return name, other
}

// The table of a race has a column of intervals if the report is at least minIntervalWidth
// characters wide. It shows the titles of the algorithms instead of their codes if the report is at
// least minTitleWidth characters wide.
const (
	minIntervalWidth = 62
	minTitleWidth    = 78
)

// writeRace writes the outcome and the scores of each algorithm. It marks the line of the
// algorithm that produced the model.
func writeRace(w io.Writer, r *api.ModelReport, width int) {
	if len(r.Algorithms) == 0 {
		return
	}
	fmt.Fprint(w, "\nRace\n")
	writeAligned(w, false, func(w io.Writer) {
		wide, title := width >= minIntervalWidth, func(code string) string { return code }
		if width >= minTitleWidth {
			title = api.AlgorithmTitle
		}
		line := func(mark, name, outcome, performance, interval, logLoss, steps string) {
			fmt.Fprintf(w, "%s %s\t%s\t%s\t", mark, name, outcome, performance)
			if wide {
				fmt.Fprintf(w, "%s\t", interval)
			}
			if width >= narrowWidth {
				logLoss += "\t" + steps
			}
			fmt.Fprintf(w, "%s\n", logLoss)
		}
		line(" ", "algorithm", "outcome", "score", "95 % interval", "logLoss", "steps")
		for _, a := range r.Algorithms {
			outcome := cmp.Or(a.Outcome, api.OutcomeFromStatus(a.Status, r.TargetPerformance, false), a.Status)
			performance, interval, logLoss := "-", "-", "-"
			if a.Performance != nil && a.LogLoss != nil {
				performance, logLoss = formatScore(*a.Performance), formatScore(*a.LogLoss)
			}
			if a.Interval != nil {
				interval = a.Interval.String()
			}
			line(winnerMark(a.Algorithm == r.Algorithm), title(a.Algorithm), api.FormatOutcome(outcome, r.TargetPerformance),
				performance, interval, logLoss, fmt.Sprint(len(a.Curve)))
		}
		if b := r.Blended; b != nil {
			outcome := "not kept" // some reports of earlier versions have no outcome
			if r.Algorithm == blend {
				outcome = "kept"
			}
			line(winnerMark(r.Algorithm == blend), title(blend), outcome, formatScore(b.Performance), b.Interval.String(), formatScore(b.LogLoss), "")
		}
	})
}

// winnerMark returns the mark before an algorithm in the table of the race: › for the
// winner, otherwise a space.
func winnerMark(isWinner bool) string {
	if isWinner {
		return "›"
	}
	return " "
}
