package term

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// A race in a terminal of 60 columns:
//
//	train · accuracy · 17 s · at most 59 min left
//	                      latest  kept    logLoss
//	          ┄┄┄┄┄┄┄┄┄┄          0.8800           threshold
//	  BSEV01  ▁▂▃▄▅▅▅▅▆   0.8555  0.8555  0.3382   learning
//	› BSIX01  ▃▅▆▆▆▆▇▇▇▇  0.8620  0.8610  0.3127   done
//
// latest is the newest score. kept and logLoss are the score and the log loss of the best
// step, from which the model would be built. If the service does not report them, the
// column peak shows the highest score so far.
//
// All curves have the same scale, so that they can be compared. The top of the scale is
// the highest score or the threshold, whichever is higher.

// redraw overwrites the last drawing in a single write. To avoid flicker, it does not
// erase the old lines first.
func (r *RaceView) redraw(now time.Time) {
	width := r.p.width()
	lines := append([]string{r.headline(now, width-1)}, r.render(width-1)...)
	if hint := r.stopHint(); hint != "" {
		lines = append(lines, Truncate(hint, width-1))
	}
	if height := r.p.height(); height > 1 && len(lines) >= height { // lines above the screen cannot be redrawn
		lines = lines[:1]
	}
	var b strings.Builder
	if n := countTerminalRows(r.lines, width); n > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", n+r.typed)
		if width != r.width { // the terminal was resized and may have wrapped or joined lines
			b.WriteString("\r\x1b[J")
		}
	}
	for i, line := range lines {
		lines[i] = r.p.toASCII(line)
		b.WriteString("\r" + lines[i] + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	r.lines, r.width, r.typed = lines, width, 0
	fmt.Fprint(r.p.out, b.String())
}

// countTerminalRows returns the number of terminal rows that lines occupy. Lines that are
// longer than width are wrapped.
func countTerminalRows(lines []string, width int) int {
	n := 0
	for _, line := range lines {
		n += max(1, (twwidth.Width(line)+width-1)/width)
	}
	return n
}

// headline returns the name, the metric and the time of the race in at most width columns. If the
// text is too long, the name is truncated first.
func (r *RaceView) headline(now time.Time, width int) string {
	elapsed := r.elapsed(now)
	parts := []string{Escape(r.opts.Metric), formatWholeSeconds(elapsed)}
	switch left := r.opts.Limit - elapsed; {
	case r.activity != "" && !r.done:
		parts = append(parts, Escape(r.activity))
	case left > 0 && !r.allDone():
		parts = append(parts, "at most "+formatWholeSeconds(left)+" left")
	}
	rest := " · " + strings.Join(parts, " · ")
	name := Truncate(Escape(r.opts.Name), max(8, width-twwidth.Width(rest)))
	if twwidth.Width(name+rest) > width {
		return Truncate(name+rest, width)
	}
	return r.p.style.Bold(name) + rest
}

// stopHint returns the line that says how good the best model so far is and how to end the
// race with it. It returns "" if the race cannot be ended or no algorithm has a score.
func (r *RaceView) stopHint() string {
	if !r.opts.Stoppable || r.done || r.activity != "" || r.leader() == "" || r.allDone() {
		return ""
	}
	return fmt.Sprintf("best so far: %s %.4f after %s; Enter ends the race", Escape(r.opts.Metric), r.best.score, FormatDuration(r.best.elapsed))
}

// allDone reports whether all algorithms have ended.
func (r *RaceView) allDone() bool {
	return !slices.ContainsFunc(r.order, func(name string) bool { return !r.runs[name].done })
}

// render returns a heading and one line per run, at most width columns wide. It marks the
// leader.
func (r *RaceView) render(width int) []string {
	style, leader := r.p.style, r.leader()
	figure, losses := r.scoreHeadings()
	fixed := 2 + 2 + 2 + 8 + 8 + 12 // widths of the mark, the gaps, and the columns latest, score and state
	if losses = losses && width >= fixed+logLossWidth+16; losses {
		fixed += logLossWidth
	}
	labels, name := r.labels(width - fixed)
	spark := min(maxCurveWidth, width-fixed-name)
	if spark < 5 {
		spark = -2 // omit the curve and its gap
	}
	loss := func(text string) string {
		if !losses {
			return ""
		}
		return fmt.Sprintf("%-*s", logLossWidth, text)
	}
	low, high := r.curveRange()
	field := func(text string) string { return strings.Repeat(" ", max(0, spark+2-twwidth.Width(text))) }
	head := fmt.Sprintf("  %-*s  %s%-6s  %-6s  %s", name, "", field(""), "latest", figure, loss("logLoss"))
	lines := []string{style.Dim(strings.TrimRight(head, " "))}
	if r.opts.Threshold != nil {
		line := strings.Repeat("┄", max(0, spark))
		lines = append(lines, style.Dim(fmt.Sprintf("  %-*s  %s%s%-6s  %s  %sthreshold",
			name, "", line, field(line), "", formatScore(*r.opts.Threshold), loss(""))))
	}
	for i, n := range r.order {
		run, mark, best := r.runs[n], "  ", formatScore(r.runs[n].bestOrHighestScore())
		if n == leader {
			mark, best = style.Bold("› "), style.Bold(best)
		}
		label := labels[i]
		curve := Sparkline(run.curve, low, high, max(0, spark))
		line := mark + label + strings.Repeat(" ", name-twwidth.Width(label)+2) + r.colorCurve(run, curve) + field(curve)
		lines = append(lines, line+formatScore(run.latestScore())+"  "+best+"  "+loss(formatScore(run.bestLogLoss()))+r.colorState(run))
	}
	for i := range lines {
		if twwidth.Width(lines[i]) > width { // the terminal is narrower than the fixed columns
			lines[i] = Truncate(stripStyle(lines[i]), width)
		}
	}
	return lines
}

// maxCurveWidth is the maximum width of a curve. Few races have more scores.
const maxCurveWidth = 96

// logLossWidth is the width of the column of the log loss, including the gap after it.
const logLossWidth = 9

// scoreHeadings returns the heading of the score column, and whether any log loss is known.
func (r *RaceView) scoreHeadings() (heading string, hasLosses bool) {
	heading = "kept"
	for _, run := range r.runs {
		if run.bestScore == nil && len(run.curve) > 0 {
			heading = "peak"
		}
		hasLosses = hasLosses || run.logLoss != nil
	}
	return heading, hasLosses
}

// labels returns the labels of the runs and their maximum width. The labels are titles, or
// names if titles would leave too little room for a curve.
func (r *RaceView) labels(width int) (labels []string, widest int) {
	const curve = 24
	for _, titled := range []bool{true, false} {
		labels, widest = nil, 0
		for _, n := range r.order {
			label := Escape(n)
			if titled {
				label = r.runs[n].title
			}
			labels, widest = append(labels, label), max(widest, twwidth.Width(label))
		}
		if width-widest >= curve {
			break
		}
	}
	return labels, widest
}

// curveRange returns the range of scores that the curves show.
func (r *RaceView) curveRange() (low, high float64) {
	var all []float64
	for _, n := range r.order {
		all = append(all, r.runs[n].curve...)
	}
	return CurveRange(all, r.opts.Threshold)
}

// CurveRange returns the range of scores that the curves of a race show. high is the best score or
// the threshold, whichever is higher. low is the lowest score, but at most four times as far below
// the best score as the median. For the best score 0.9 and the median 0.8, low is at least 0.5.
// This leaves out the steep start of a race. scores holds the scores of all curves, in any order.
// Without scores, the range is 0 to 1. threshold may be nil.
func CurveRange(scores []float64, threshold *float64) (low, high float64) {
	if len(scores) == 0 {
		return 0, 1
	}
	sorted := slices.Sorted(slices.Values(scores))
	best, median := sorted[len(sorted)-1], sorted[len(sorted)/2]
	low, high = max(sorted[0], best-4*(best-median)), best
	if threshold != nil {
		high = max(best, *threshold)
	}
	return low, high
}

// leader returns the name of the run that produced the model or, before the end of the race, of the
// run that leads; see [Leader]. It returns "" if no run has a score.
func (r *RaceView) leader() string {
	if r.model != "" {
		return r.model
	}
	standings := make([]Standing, len(r.order))
	for i, n := range r.order {
		run := r.runs[n]
		standings[i] = Standing{HasReachedThreshold: r.opts.Threshold != nil && run.state == "COMPLETED", LogLoss: run.logLoss, HighestScore: run.peak}
	}
	if i := Leader(standings); i >= 0 {
		return r.order[i]
	}
	return ""
}

// Standing is the part of the state of a run that decides which run leads a race.
type Standing struct {
	HasReachedThreshold bool
	// LogLoss is the log loss of the best step so far; nil if it is unknown.
	LogLoss *float64
	// HighestScore is the highest score so far; -Inf without a score.
	HighestScore float64
}

// Leader returns the index of the run that would produce the model of a race if the race ended now.
// This is the run that has reached the threshold. If no run has, it is the run with the lowest log
// loss or, if no log loss is known, with the highest score. Leader returns -1 if no run has a score.
func Leader(runs []Standing) int {
	least, leader := math.Inf(1), -1
	known := slices.ContainsFunc(runs, func(run Standing) bool { return run.LogLoss != nil })
	for i, run := range runs {
		rank := -run.HighestScore
		switch {
		case run.HasReachedThreshold:
			return i
		case run.LogLoss != nil:
			rank = *run.LogLoss
		case known:
			rank = math.Inf(1)
		}
		if rank < least {
			least, leader = rank, i
		}
	}
	return leader
}

// colorState returns the state of a run in its colour.
func (r *RaceView) colorState(run *runView) string {
	switch {
	case run.state == "COMPLETED":
		return r.p.style.Green(run.stateLabel)
	case run.state == "FAILED":
		return r.p.style.Red(run.stateLabel)
	case run.done:
		return r.p.style.Dim(run.stateLabel)
	}
	return run.stateLabel
}

// colorCurve returns the curve of a run in its colour.
func (r *RaceView) colorCurve(run *runView, curve string) string {
	if run.done {
		return r.p.style.Dim(curve)
	}
	return r.p.style.Cyan(curve)
}

// Sparkline draws values between low and high in at most width characters, oldest first.
// If there are more values than characters, each character shows the mean of several.
func Sparkline(values []float64, low, high float64, width int) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	n := min(len(values), width)
	var b strings.Builder
	for i := range n {
		from, to := i*len(values)/n, (i+1)*len(values)/n
		mean := 0.0
		for _, v := range values[from:to] {
			mean += v / float64(to-from)
		}
		level := len(levels) - 1
		if high > low {
			level = int((mean - low) / (high - low) * float64(len(levels)))
		}
		b.WriteRune(levels[min(max(level, 0), len(levels)-1)])
	}
	return b.String()
}
