package term

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Lane is where one algorithm of a race is.
type Lane struct {
	Name  string
	State string // as the service names it
	Word  string // the same for a person
	Ended bool
	// Recent is its newest scores, oldest first.
	Recent []float64
	// Steps is how many scores there are so far; 0 if that is not known.
	Steps int
}

// RaceOptions say what a race is about.
type RaceOptions struct {
	// Name is what is raced on, Metric what for.
	Name, Metric string
	// Target is the score that wins; 1 or more means that the best does.
	Target float64
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
	stop  func()
}

type laneState struct {
	state string
	word  string
	ended bool
	told  bool // a plain line has told that it ended
	steps int
	curve []float64
	best  float64
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

// Update shows the lanes as they are now.
func (r *Race) Update(lanes []Lane) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	now := r.p.now()
	for _, lane := range lanes {
		r.take(lane)
	}
	if len(r.order) == 0 {
		return
	}
	switch r.p.mode {
	case Bar:
		r.frame(now)
	case Plain:
		if now.Sub(r.shown) >= patience {
			r.tell(now)
		}
	case JSON:
		if r.news {
			r.p.event(r.event(now))
		}
	}
	r.news = false
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
		known = &laneState{best: math.Inf(-1)}
		r.lanes[lane.Name] = known
		r.order = append(r.order, lane.Name)
	}
	if known.state != lane.State {
		known.state, r.news = lane.State, true
	}
	known.word, known.ended = Escape(lane.Word), lane.Ended
	fresh := known.unseen(lane)
	known.steps = max(known.steps+len(fresh), lane.Steps)
	for i, score := range fresh {
		known.curve = append(known.curve, score)
		known.best = max(known.best, score)
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

// tell writes a line for each lane that has ended, and where all are every
// half minute.
func (r *Race) tell(now time.Time) {
	elapsed := Duration(r.elapsed(now))
	for _, n := range r.order {
		lane := r.lanes[n]
		if lane.ended && !lane.told {
			lane.told = true
			r.say("race %s: %s %s, best %s", elapsed, Escape(n), lane.word, score(lane.best))
		}
	}
	if !r.last.IsZero() && now.Sub(r.last) < reminder {
		return
	}
	r.last = now
	parts := make([]string, 0, len(r.order))
	for _, n := range r.order {
		parts = append(parts, Escape(n)+" "+strings.TrimSpace(score(r.lanes[n].best)))
	}
	r.say("race %s: %s", elapsed, strings.Join(parts, ", "))
}

// say writes a plain line.
func (r *Race) say(format string, args ...any) {
	fmt.Fprintln(r.p.out, r.p.sign(fmt.Sprintf(format, args...)))
}

type raceEvent struct {
	Event   string      `json:"event"`
	Seconds float64     `json:"seconds"`
	Target  float64     `json:"target"`
	Jobs    []laneEvent `json:"jobs"`
}

type laneEvent struct {
	Algorithm         string   `json:"algorithm"`
	Status            string   `json:"status"`
	LatestPerformance *float64 `json:"latestPerformance"`
	BestPerformance   *float64 `json:"bestPerformance"`
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
		job := laneEvent{Algorithm: n, Status: lane.state}
		if len(lane.curve) > 0 {
			latest, best := lane.latest(), lane.best
			job.LatestPerformance, job.BestPerformance = &latest, &best
		}
		e.Jobs = append(e.Jobs, job)
	}
	return e
}

func (l *laneState) latest() float64 {
	if len(l.curve) == 0 {
		return math.Inf(-1)
	}
	return l.curve[len(l.curve)-1]
}

// score gives a performance with four digits, or a dash before the first.
func score(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "–     "
	}
	return fmt.Sprintf("%.4f", v)
}
