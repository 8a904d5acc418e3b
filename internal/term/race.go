package term

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// RunState is the state of one algorithm in a race.
type RunState struct {
	Name string
	// Title is the name for people, shown where there is room. Defaults to Name.
	Title string
	State string // as the service names it
	Word  string // the same for a person
	Done  bool
	// Recent has the newest scores, oldest first.
	Recent []float64
	// Kept is the score of the best step so far, and LogLoss its log loss; nil if
	// unknown.
	Kept, LogLoss *float64
	// Steps is the number of scores so far; 0 if unknown.
	Steps int
}

// RaceOptions describe a race.
type RaceOptions struct {
	// Name is the name of the dataset, Metric the metric.
	Name, Metric string
	// Target is the threshold; nil if the best wins.
	Target *float64
	// Start is the start of the race. Defaults to now.
	Start time.Time
	// End is the end of the race; zero if it is running.
	End time.Time
	// Limit is the time limit of the race; 0 if unknown.
	Limit time.Duration
	// Replay also shows a race that has ended or ends within a second.
	Replay bool
}

// Race shows a race, one line per algorithm: redrawn in place on a terminal, printed in a
// few lines elsewhere. Done ends it.
type Race struct {
	p        *Progress
	opts     RaceOptions
	shown    time.Time // since when there is something to show
	last     time.Time
	order    []string
	runs     map[string]*run
	lines    []string // lines on the screen
	width    int      // that they were drawn for
	done     bool
	news     bool
	activity string // what goes on beside the learning, see Update
	// dashExplained is set once a plain line has explained the dash.
	dashExplained bool
	model         string // the run that the model came from; empty before the end
	stop          func()
}

type run struct {
	title    string // what people read
	state    string
	word     string
	done     bool
	reported bool // a plain line has reported that it ended
	steps    int
	curve    []float64
	peak     float64
	// kept and logLoss are as in RunState.
	kept, logLoss *float64
}

// Race starts showing a race.
func (p *Progress) Race(opts RaceOptions) *Race {
	now := p.now()
	if opts.Start.IsZero() || opts.Start.After(now) { // by another clock than ours
		opts.Start = now
	}
	r := &Race{p: p, opts: opts, shown: now, runs: map[string]*run{}}
	if opts.Replay {
		r.shown = now.Add(-showAfter)
	}
	r.stop = p.animate(r.frame)
	return r
}

// elapsed returns the duration of the race so far.
func (r *Race) elapsed(now time.Time) time.Duration {
	if !r.opts.End.IsZero() {
		now = r.opts.End
	}
	return max(0, now.Sub(r.opts.Start))
}

// frame draws the race once showAfter has passed.
func (r *Race) frame(now time.Time) {
	if len(r.order) > 0 && now.Sub(r.shown) >= showAfter {
		r.redraw(now)
	}
}

// Update shows the states. activity describes what the race does while no algorithm is
// training, such as waiting; "" otherwise.
func (r *Race) Update(states []RunState, activity string) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	now := r.p.now()
	for _, state := range states {
		r.merge(state)
	}
	changed := activity != r.activity
	r.activity = activity
	switch r.p.mode {
	case Bar:
		r.frame(now)
	case Plain:
		if changed {
			r.last = time.Time{}
		}
		if now.Sub(r.shown) >= showAfter {
			r.printPlain(now)
		}
	case JSON:
		if r.news {
			r.p.event(r.event(now))
		}
		if changed && activity != "" {
			r.p.event(r.activityEvent())
		}
	}
	r.news = false
}

// SetWinner marks the algorithm of the model. A blend gets a line of its own.
func (r *Race) SetWinner(model RunState) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	if r.model = model.Name; r.p.mode == Bar && r.runs[model.Name] == nil {
		r.merge(model)
	}
}

// Done draws the race for the last time.
func (r *Race) Done() {
	r.stop()
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.done = true
	if len(r.lines) > 0 {
		r.redraw(r.p.now())
		r.lines = nil
	}
}

// merge updates the run of an algorithm.
func (r *Race) merge(state RunState) {
	known := r.runs[state.Name]
	if known == nil {
		known = &run{peak: math.Inf(-1)}
		r.runs[state.Name] = known
		r.order = append(r.order, state.Name)
	}
	if known.state != state.State {
		known.state, r.news = state.State, true
	}
	known.title = Escape(cmp.Or(state.Title, state.Name))
	known.word, known.done = Escape(state.Word), state.Done
	known.kept, known.logLoss = state.Kept, state.LogLoss
	fresh := known.newScores(state)
	known.steps = max(known.steps+len(fresh), state.Steps)
	for i, score := range fresh {
		known.curve = append(known.curve, score)
		known.peak = max(known.peak, score)
		r.news = true
		if r.p.mode == JSON {
			r.p.event(scoreEvent{"score", state.Name, known.steps - len(fresh) + i + 1, score})
		}
	}
}

// newScores returns the scores that are not in the curve yet. If the service does not
// count them, they are matched by the longest overlap.
func (r *run) newScores(state RunState) []float64 {
	recent := state.Recent
	if state.Steps > 0 {
		return recent[len(recent)-min(len(recent), max(0, state.Steps-r.steps)):]
	}
	for n := min(len(r.curve), len(recent)); n > 0; n-- {
		if slices.Equal(r.curve[len(r.curve)-n:], recent[:n]) {
			return recent[n:]
		}
	}
	return recent
}

// printPlain prints a line for each run that has ended, and every half minute the
// activity or the standings.
func (r *Race) printPlain(now time.Time) {
	elapsed := Duration(r.elapsed(now))
	for _, n := range r.order {
		run := r.runs[n]
		if run.done && !run.reported {
			run.reported = true
			r.printLine("race %s: %s %s%s", elapsed, run.title, run.word, run.ending())
		}
	}
	if !r.last.IsZero() && now.Sub(r.last) < reminderInterval {
		return
	}
	switch {
	case r.activity != "":
		r.printLine("race %s: %s", elapsed, Escape(r.activity))
	case r.over():
		return
	default:
		r.printLine("race %s: %s", elapsed, r.standings())
	}
	r.last = now
}

// standings returns the states of all runs in one line.
func (r *Race) standings() string {
	parts := make([]string, 0, len(r.order))
	for _, n := range r.order {
		run := r.runs[n]
		part := run.title + " " + strings.TrimSpace(formatScore(run.score()))
		switch {
		case run.logLoss != nil:
			part += fmt.Sprintf(" (log loss %.4f)", *run.logLoss)
		case len(run.curve) == 0 && !r.dashExplained:
			part += " (not scored yet)"
			r.dashExplained = true
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// score returns the score of a run: that of the kept step, or the highest if that is
// unknown.
func (r *run) score() float64 {
	if r.kept != nil {
		return *r.kept
	}
	return r.peak
}

// ending returns the result of a run; "" without a score.
func (r *run) ending() string {
	switch {
	case r.kept != nil && r.logLoss != nil:
		return fmt.Sprintf(", kept %.4f, log loss %.4f", *r.kept, *r.logLoss)
	case r.kept != nil:
		return fmt.Sprintf(", kept %.4f", *r.kept)
	case len(r.curve) > 0:
		return fmt.Sprintf(", peak %.4f", r.peak)
	}
	return ""
}

// printLine prints a plain line.
func (r *Race) printLine(format string, args ...any) {
	fmt.Fprintln(r.p.out, r.p.toASCII(fmt.Sprintf(format, args...)))
}

type waitEvent struct {
	Event  string `json:"event"`
	Reason string `json:"reason"`
}

type raceEvent struct {
	Event   string     `json:"event"`
	Seconds float64    `json:"seconds"`
	Target  *float64   `json:"target"`
	Jobs    []runEvent `json:"jobs"`
}

type runEvent struct {
	Algorithm         string   `json:"algorithm"`
	Status            string   `json:"status"`
	LatestPerformance *float64 `json:"latestPerformance"`
	KeptPerformance   *float64 `json:"keptPerformance"`
	LogLoss           *float64 `json:"logLoss"`
}

type scoreEvent struct {
	Event       string  `json:"event"`
	Algorithm   string  `json:"algorithm"`
	Step        int     `json:"step"`
	Performance float64 `json:"performance"`
}

func (r *Race) event(now time.Time) raceEvent {
	seconds := math.Round(r.elapsed(now).Seconds()*10) / 10
	e := raceEvent{Event: "race", Seconds: seconds, Target: r.opts.Target}
	for _, n := range r.order {
		run := r.runs[n]
		job := runEvent{Algorithm: n, Status: run.state, KeptPerformance: run.kept, LogLoss: run.logLoss}
		if len(run.curve) > 0 {
			latest := run.latest()
			job.LatestPerformance = &latest
		}
		e.Jobs = append(e.Jobs, job)
	}
	return e
}

// activityEvent is the event of an activity.
func (r *Race) activityEvent() any {
	if len(r.order) > 0 && r.over() {
		return phaseEvent{"phase", r.activity}
	}
	return waitEvent{"waiting", r.activity}
}

func (r *run) latest() float64 {
	if len(r.curve) == 0 {
		return math.Inf(-1)
	}
	return r.curve[len(r.curve)-1]
}

// loss returns the log loss of the kept step; -Inf before the first score.
func (r *run) loss() float64 {
	if r.logLoss == nil {
		return math.Inf(-1)
	}
	return *r.logLoss
}

// formatScore formats a score with four digits; a dash before the first.
func formatScore(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "–     "
	}
	return fmt.Sprintf("%.4f", v)
}
