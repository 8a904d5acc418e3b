package term

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Lane is where one algorithm of a race is.
type Lane struct {
	Name string
	// Title is what people read, such as the name with a word; the live picture
	// shows it where there is room. Defaults to Name.
	Title string
	State string // as the service names it
	Word  string // the same for a person
	Ended bool
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
	p     *Progress
	opts  RaceOptions
	shown time.Time // since when there is something to show
	last  time.Time
	order []string
	lanes map[string]*laneState
	drawn []string // lines on the screen
	width int      // that they were drawn for
	done  bool
	news  bool
	doing string // what goes on beside the learning, see Update
	// dashed is set once a plain line has said what a dash means.
	dashed bool
	model  string // the lane that the model came from; empty before the end
	stop   func()
}

type laneState struct {
	title string // what people read
	state string
	word  string
	ended bool
	told  bool // a plain line has told that it ended
	steps int
	curve []float64
	peak  float64
	// kept and logLoss are as in Lane.
	kept, logLoss *float64
}

// Race starts to show a race.
func (p *Progress) Race(opts RaceOptions) *Race {
	now := p.now()
	if opts.Start.IsZero() || opts.Start.After(now) { // by another clock than ours
		opts.Start = now
	}
	r := &Race{p: p, opts: opts, shown: now, lanes: map[string]*laneState{}}
	if opts.Replay {
		r.shown = now.Add(-patience)
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
	if len(r.order) > 0 && now.Sub(r.shown) >= patience {
		r.redraw(now)
	}
}

// Update shows the lanes as they are now. doing is what goes on before the first
// lane learns or after the last one has ended, such as what the race waits for;
// empty in between and when the race is over.
func (r *Race) Update(lanes []Lane, doing string) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	now := r.p.now()
	for _, lane := range lanes {
		r.take(lane)
	}
	changed := doing != r.doing
	r.doing = doing
	switch r.p.mode {
	case Bar:
		r.frame(now)
	case Plain:
		if changed {
			r.last = time.Time{}
		}
		if now.Sub(r.shown) >= patience {
			r.tell(now)
		}
	case JSON:
		if r.news {
			r.p.event(r.event(now))
		}
		if changed && doing != "" {
			r.p.event(r.doingEvent())
		}
	}
	r.news = false
}

// Won marks the lane that the model came from in the last picture. A model of
// several lanes, such as a blend, has a line of its own.
func (r *Race) Won(model Lane) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	if r.model = model.Name; r.p.mode == Bar && r.lanes[model.Name] == nil {
		r.take(model)
	}
}

// Done leaves the last picture on the screen.
func (r *Race) Done() {
	r.stop()
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.done = true
	if len(r.drawn) > 0 {
		r.redraw(r.p.now())
		r.drawn = nil
	}
}

// take adds what a lane has to tell to what is known about it.
func (r *Race) take(lane Lane) {
	known := r.lanes[lane.Name]
	if known == nil {
		known = &laneState{peak: math.Inf(-1)}
		r.lanes[lane.Name] = known
		r.order = append(r.order, lane.Name)
	}
	if known.state != lane.State {
		known.state, r.news = lane.State, true
	}
	known.title = Escape(cmp.Or(lane.Title, lane.Name))
	known.word, known.ended = Escape(lane.Word), lane.Ended
	known.kept, known.logLoss = lane.Kept, lane.LogLoss
	fresh := known.unseen(lane)
	known.steps = max(known.steps+len(fresh), lane.Steps)
	for i, score := range fresh {
		known.curve = append(known.curve, score)
		known.peak = max(known.peak, score)
		r.news = true
		if r.p.mode == JSON {
			r.p.event(scoreEvent{"score", lane.Name, known.steps - len(fresh) + i + 1, score})
		}
	}
}

// unseen gives the scores of a lane that are not in the curve yet. Where the
// service does not count them, they are joined where they overlap most.
func (l *laneState) unseen(lane Lane) []float64 {
	recent := lane.Recent
	if lane.Steps > 0 {
		return recent[len(recent)-min(len(recent), max(0, lane.Steps-l.steps)):]
	}
	for n := min(len(l.curve), len(recent)); n > 0; n-- {
		if slices.Equal(l.curve[len(l.curve)-n:], recent[:n]) {
			return recent[n:]
		}
	}
	return recent
}

// tell writes a line for each lane that has ended, and what goes on, or where all
// are, every half minute.
func (r *Race) tell(now time.Time) {
	elapsed := Duration(r.elapsed(now))
	for _, n := range r.order {
		lane := r.lanes[n]
		if lane.ended && !lane.told {
			lane.told = true
			r.say("race %s: %s %s%s", elapsed, lane.title, lane.word, lane.ending())
		}
	}
	if !r.last.IsZero() && now.Sub(r.last) < reminder {
		return
	}
	switch {
	case r.doing != "":
		r.say("race %s: %s", elapsed, Escape(r.doing))
	case r.over():
		return
	default:
		r.say("race %s: %s", elapsed, r.standings())
	}
	r.last = now
}

// standings is where all lanes are, in one line.
func (r *Race) standings() string {
	parts := make([]string, 0, len(r.order))
	for _, n := range r.order {
		lane := r.lanes[n]
		part := lane.title + " " + strings.TrimSpace(score(lane.figure()))
		switch {
		case lane.logLoss != nil:
			part += fmt.Sprintf(" (log loss %.4f)", *lane.logLoss)
		case len(lane.curve) == 0 && !r.dashed:
			part += " (not scored yet)"
			r.dashed = true
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// figure is the score that a lane is known by: that of the step it keeps, or the
// highest where that is not known.
func (l *laneState) figure() float64 {
	if l.kept != nil {
		return *l.kept
	}
	return l.peak
}

// ending is what a plain line adds to how a lane ended; nothing without a score.
func (l *laneState) ending() string {
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

// say writes a plain line.
func (r *Race) say(format string, args ...any) {
	fmt.Fprintln(r.p.out, r.p.sign(fmt.Sprintf(format, args...)))
}

type waitEvent struct {
	Event  string `json:"event"`
	Reason string `json:"reason"`
}

type raceEvent struct {
	Event   string      `json:"event"`
	Seconds float64     `json:"seconds"`
	Target  *float64    `json:"target"`
	Jobs    []laneEvent `json:"jobs"`
}

type laneEvent struct {
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
		lane := r.lanes[n]
		job := laneEvent{Algorithm: n, Status: lane.state, KeptPerformance: lane.kept, LogLoss: lane.logLoss}
		if len(lane.curve) > 0 {
			latest := lane.latest()
			job.LatestPerformance = &latest
		}
		e.Jobs = append(e.Jobs, job)
	}
	return e
}

// doingEvent is the event of what goes on beside the learning.
func (r *Race) doingEvent() any {
	if len(r.order) > 0 && r.over() {
		return phaseEvent{"phase", r.doing}
	}
	return waitEvent{"waiting", r.doing}
}

func (l *laneState) latest() float64 {
	if len(l.curve) == 0 {
		return math.Inf(-1)
	}
	return l.curve[len(l.curve)-1]
}

// loss is the log loss of the step that is kept; -Inf before the first score.
func (l *laneState) loss() float64 {
	if l.logLoss == nil {
		return math.Inf(-1)
	}
	return *l.logLoss
}

// score gives a performance with four digits, or a dash before the first.
func score(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "–     "
	}
	return fmt.Sprintf("%.4f", v)
}
