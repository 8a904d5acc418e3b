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
	Name string // algorithm code
	// Title is the readable name, shown if there is room. Defaults to Name.
	Title      string
	State      string // status in the API
	StateLabel string // readable text for State
	Done       bool
	// Recent holds the newest scores, oldest first.
	Recent []float64
	// BestScore is the score of the best step so far, and LogLoss is the log loss of that step.
	// They are nil if unknown.
	BestScore, LogLoss *float64
	// Steps is the number of scores so far; 0 if unknown.
	Steps int
}

// RaceOptions describe a race.
type RaceOptions struct {
	// Name is the name of the dataset, and Metric the metric of the scores.
	Name, Metric string
	// Threshold is the score at which the race ends; nil if the race has no threshold.
	Threshold *float64
	// Start is when the race started. Defaults to now.
	Start time.Time
	// End is when the race ended; zero if it is running.
	End time.Time
	// Limit is the time limit of the race; 0 if unknown.
	Limit time.Duration
	// Replay is set to show the race even if it has ended already or ends within a second.
	Replay bool
	// Stoppable is set if the user can end the race by pressing Enter.
	Stoppable bool
}

// RaceView shows a race with one line per algorithm. The lines are redrawn in place on a
// terminal; elsewhere a few plain lines are printed. Call Done at the end.
type RaceView struct {
	p        *Progress
	opts     RaceOptions
	shown    time.Time // when the view started
	last     time.Time // when the last plain line was printed
	order    []string  // names of the runs, in the order in which they appeared
	runs     map[string]*runView
	lines    []string // lines on the screen
	width    int      // width of the terminal when lines were drawn
	done     bool
	changed  bool   // whether a state or score has changed since the last JSON event
	activity string // what happens while no algorithm is training; "" otherwise
	// dashExplained is set once a plain line has explained that a dash means no score yet.
	dashExplained bool
	best          bestSoFar
	typed         int    // lines that the user has typed below the drawing
	model         string // name of the run that produced the model; "" before the end
	stop          func()
}

// bestSoFar is the score of the leader, and how long the race had lasted when the leader
// reached it.
type bestSoFar struct {
	score   float64
	elapsed time.Duration
}

type runView struct {
	title      string
	state      string
	stateLabel string
	done       bool
	reported   bool      // whether a plain line has reported the end
	steps      int       // number of scores so far
	curve      []float64 // the scores that were reported, oldest first
	peak       float64   // highest score of curve
	// bestScore is the score of the best step so far, and logLoss is the log loss of that step. They
	// are nil if unknown.
	bestScore, logLoss *float64
}

// StartRace starts showing a race.
func (p *Progress) StartRace(opts RaceOptions) *RaceView {
	now := p.now()
	if opts.Start.IsZero() || opts.Start.After(now) { // the clocks of the machines may differ
		opts.Start = now
	}
	r := &RaceView{p: p, opts: opts, shown: now, runs: map[string]*runView{}}
	if opts.Replay {
		r.shown = now.Add(-showAfter)
	}
	r.stop = p.animate(r.drawIfDue)
	return r
}

// elapsed returns the duration of the race until now or its end.
func (r *RaceView) elapsed(now time.Time) time.Duration {
	if !r.opts.End.IsZero() {
		now = r.opts.End
	}
	return max(0, now.Sub(r.opts.Start))
}

// drawIfDue draws the race if the view has lasted for at least showAfter.
func (r *RaceView) drawIfDue(now time.Time) {
	if len(r.order) > 0 && now.Sub(r.shown) >= showAfter {
		r.redraw(now)
	}
}

// Update shows new states. activity describes what happens while no algorithm is training,
// such as waiting in a queue; it is "" otherwise.
func (r *RaceView) Update(states []RunState, activity string) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	now := r.p.now()
	for _, state := range states {
		r.mergeState(state)
	}
	if leader := r.runs[r.leader()]; leader != nil && leader.bestOrHighestScore() != r.best.score {
		r.best = bestSoFar{leader.bestOrHighestScore(), r.elapsed(now)}
	}
	changed := activity != r.activity
	r.activity = activity
	switch r.p.mode {
	case Bar:
		r.drawIfDue(now)
	case Plain:
		if changed {
			r.last = time.Time{}
		}
		if now.Sub(r.shown) >= showAfter {
			r.printPlain(now)
		}
	case JSON:
		if r.changed {
			r.p.writeEvent(r.newEvent(now))
		}
		if changed && activity != "" {
			r.p.writeEvent(r.newActivityEvent())
		}
	}
	r.changed = false
}

// CountTypedLine must be called when the user has typed a line. The terminal shows the line below
// the race, so the next drawing must begin one row higher.
func (r *RaceView) CountTypedLine() {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.typed++
}

// SetWinner marks the algorithm that produced the model. If it is a blend, SetWinner adds a
// line for it.
func (r *RaceView) SetWinner(model RunState) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	if r.model = model.Name; r.p.mode == Bar && r.runs[model.Name] == nil {
		r.mergeState(model)
	}
}

// Done draws the race for the last time and ends the view.
func (r *RaceView) Done() {
	r.stop()
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.done = true
	if len(r.lines) > 0 {
		r.redraw(r.p.now())
		r.lines = nil
	}
}

// mergeState updates the run of the algorithm state.Name, or adds a run for it.
func (r *RaceView) mergeState(state RunState) {
	known := r.runs[state.Name]
	if known == nil {
		known = &runView{peak: math.Inf(-1)}
		r.runs[state.Name] = known
		r.order = append(r.order, state.Name)
	}
	if known.state != state.State {
		known.state, r.changed = state.State, true
	}
	known.title = Escape(cmp.Or(state.Title, state.Name))
	known.stateLabel, known.done = Escape(state.StateLabel), state.Done
	known.bestScore, known.logLoss = state.BestScore, state.LogLoss
	fresh := known.newScores(state)
	known.steps = max(known.steps+len(fresh), state.Steps)
	for i, score := range fresh {
		known.curve = append(known.curve, score)
		known.peak = max(known.peak, score)
		r.changed = true
		if r.p.mode == JSON {
			r.p.writeEvent(scoreEvent{"score", state.Name, known.steps - len(fresh) + i + 1, score})
		}
	}
}

// newScores returns the scores of state that are not in the curve yet. It finds them by the number
// of steps. If the service does not report this number, newScores looks for the longest overlap: the
// last scores of the curve that are also the first scores of state.Recent. The scores of
// state.Recent after the overlap are new.
func (r *runView) newScores(state RunState) []float64 {
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

// printPlain prints a line for each run that has just ended, and every 30 seconds the
// activity or the scores of all runs.
func (r *RaceView) printPlain(now time.Time) {
	elapsed := FormatDuration(r.elapsed(now))
	for _, n := range r.order {
		run := r.runs[n]
		if run.done && !run.reported {
			run.reported = true
			r.printLine("race %s: %s %s%s", elapsed, run.title, run.stateLabel, run.formatResult())
		}
	}
	if !r.last.IsZero() && now.Sub(r.last) < reminderInterval {
		return
	}
	switch {
	case r.activity != "":
		r.printLine("race %s: %s", elapsed, Escape(r.activity))
	case r.allDone():
		return
	default:
		r.printLine("race %s: %s", elapsed, r.formatStandings())
	}
	r.last = now
}

// formatStandings formats the scores of all runs in one line.
func (r *RaceView) formatStandings() string {
	parts := make([]string, 0, len(r.order))
	for _, n := range r.order {
		run := r.runs[n]
		part := run.title + " " + strings.TrimSpace(formatScore(run.bestOrHighestScore()))
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

// bestOrHighestScore returns the score of the best step, or the highest score if the best step is
// unknown.
func (r *runView) bestOrHighestScore() float64 {
	if r.bestScore != nil {
		return *r.bestScore
	}
	return r.peak
}

// formatResult formats the result of a run. It returns "" if the run has no score.
func (r *runView) formatResult() string {
	switch {
	case r.bestScore != nil && r.logLoss != nil:
		return fmt.Sprintf(", kept %.4f, log loss %.4f before calibration", *r.bestScore, *r.logLoss)
	case r.bestScore != nil:
		return fmt.Sprintf(", kept %.4f", *r.bestScore)
	case len(r.curve) > 0:
		return fmt.Sprintf(", peak %.4f", r.peak)
	}
	return ""
}

// printLine prints a plain line.
func (r *RaceView) printLine(format string, args ...any) {
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

func (r *RaceView) newEvent(now time.Time) raceEvent {
	seconds := math.Round(r.elapsed(now).Seconds()*10) / 10
	e := raceEvent{Event: "race", Seconds: seconds, Target: r.opts.Threshold}
	for _, n := range r.order {
		run := r.runs[n]
		job := runEvent{Algorithm: n, Status: run.state, KeptPerformance: run.bestScore, LogLoss: run.logLoss}
		if len(run.curve) > 0 {
			latest := run.latestScore()
			job.LatestPerformance = &latest
		}
		e.Jobs = append(e.Jobs, job)
	}
	return e
}

// newActivityEvent returns the event that reports the activity.
func (r *RaceView) newActivityEvent() any {
	if len(r.order) > 0 && r.allDone() {
		return phaseEvent{"phase", r.activity}
	}
	return waitEvent{"waiting", r.activity}
}

func (r *runView) latestScore() float64 {
	if len(r.curve) == 0 {
		return math.Inf(-1)
	}
	return r.curve[len(r.curve)-1]
}

// bestLogLoss returns the log loss of the best step. If it is unknown, the result is -Inf, which
// formatScore formats as a dash.
func (r *runView) bestLogLoss() float64 {
	if r.logLoss == nil {
		return math.Inf(-1)
	}
	return *r.logLoss
}

// formatScore formats a score with four decimals, and an infinite or NaN score as a dash.
func formatScore(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "–     "
	}
	return fmt.Sprintf("%.4f", v)
}
