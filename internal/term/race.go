package term

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// RunState is where one algorithm of a race is.
type RunState struct {
	Name string
	// Title is what people read, such as the name with a word; the live picture
	// shows it where there is room. Defaults to Name.
	Title string
	State string // as the service names it
	Word  string // the same for a person
	Done  bool
	// Recent is its newest scores, oldest first.
	Recent []float64
	// Kept is the score of the step that is kept so far, LogLoss its log loss; nil
	// before the first score, and where the service does not tell.
	Kept, LogLoss *float64
	// Steps is how many scores there are so far; 0 if that is not known.
	Steps int
}

// RaceOptions say what a race is about.
type RaceOptions struct {
	// Name is what is raced on, Metric what for.
	Name, Metric string
	// Target is the score that wins; nil means that the best does.
	Target *float64
	// Start is when the race began. Defaults to now.
	Start time.Time
	// End is when it ended; zero while it goes on.
	End time.Time
	// Limit is how long the race may take; 0 if that is not known.
	Limit time.Duration
	// Replay shows also a race that ends within a second, or has ended.
	Replay bool
}

// Race shows a race: one lane an algorithm, redrawn in place on a terminal and
// told in few lines elsewhere. Done ends it.
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
	// dashExplained is set once a plain line has said what a dash means.
	dashExplained bool
	model         string // the lane that the model came from; empty before the end
	stop          func()
}

type run struct {
	title    string // what people read
	state    string
	word     string
	done     bool
	reported bool // a plain line has told that it ended
	steps    int
	curve    []float64
	peak     float64
	// kept and logLoss are as in Lane.
	kept, logLoss *float64
}

// Race starts to show a race.
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

// elapsed is how long the race goes on, or went.
func (r *Race) elapsed(now time.Time) time.Duration {
	if !r.opts.End.IsZero() {
		now = r.opts.End
	}
	return max(0, now.Sub(r.opts.Start))
}

// frame draws the picture if it is time for one.
func (r *Race) frame(now time.Time) {
	if len(r.order) > 0 && now.Sub(r.shown) >= showAfter {
		r.redraw(now)
	}
}

// Update shows the lanes as they are now. doing is what goes on before the first
// lane learns or after the last one has ended, such as what the race waits for;
// empty in between and when the race is over.
func (r *Race) Update(lanes []RunState, doing string) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	now := r.p.now()
	for _, state := range lanes {
		r.merge(state)
	}
	changed := doing != r.activity
	r.activity = doing
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
		if changed && doing != "" {
			r.p.event(r.activityEvent())
		}
	}
	r.news = false
}

// SetWinner marks the lane that the model came from in the last picture. A model of
// several lanes, such as a blend, has a line of its own.
func (r *Race) SetWinner(model RunState) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	if r.model = model.Name; r.p.mode == Bar && r.runs[model.Name] == nil {
		r.merge(model)
	}
}

// Done leaves the last picture on the screen.
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

// merge adds what a lane has to tell to what is known about it.
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

// newScores gives the scores of a lane that are not in the curve yet. Where the
// service does not count them, they are joined where they overlap most.
func (l *run) newScores(state RunState) []float64 {
	recent := state.Recent
	if state.Steps > 0 {
		return recent[len(recent)-min(len(recent), max(0, state.Steps-l.steps)):]
	}
	for n := min(len(l.curve), len(recent)); n > 0; n-- {
		if slices.Equal(l.curve[len(l.curve)-n:], recent[:n]) {
			return recent[n:]
		}
	}
	return recent
}

// printPlain writes a line for each lane that has ended, and what goes on, or where all
// are, every half minute.
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

// standings is where all lanes are, in one line.
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

// score is the score that a lane is known by: that of the step it keeps, or the
// highest where that is not known.
func (l *run) score() float64 {
	if l.kept != nil {
		return *l.kept
	}
	return l.peak
}

// ending is what a plain line adds to how a lane ended; nothing without a score.
func (l *run) ending() string {
	switch {
	case l.kept != nil && l.logLoss != nil:
		return fmt.Sprintf(", kept %.4f, log loss %.4f", *l.kept, *l.logLoss)
	case l.kept != nil:
		return fmt.Sprintf(", kept %.4f", *l.kept)
	case len(l.curve) > 0:
		return fmt.Sprintf(", peak %.4f", l.peak)
	}
	return ""
}

// printLine writes a plain line.
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

// activityEvent is the event of what goes on beside the learning.
func (r *Race) activityEvent() any {
	if len(r.order) > 0 && r.over() {
		return phaseEvent{"phase", r.activity}
	}
	return waitEvent{"waiting", r.activity}
}

func (l *run) latest() float64 {
	if len(l.curve) == 0 {
		return math.Inf(-1)
	}
	return l.curve[len(l.curve)-1]
}

// loss is the log loss of the step that is kept; -Inf before the first score.
func (l *run) loss() float64 {
	if l.logLoss == nil {
		return math.Inf(-1)
	}
	return *l.logLoss
}

// formatScore gives a performance with four digits, or a dash before the first.
func formatScore(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "–     "
	}
	return fmt.Sprintf("%.4f", v)
}
