package term

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Lane is where one algorithm of a race is.
type Lane struct {
	Name  string
	State string // as the service names it
	Word  string // the same for a person
	Ended bool
	// Recent is its newest scores, oldest first.
	Recent []float64
}

// Race shows a race: one lane an algorithm, redrawn in place on a terminal and
// told in few lines elsewhere.
type Race struct {
	p      *Progress
	title  string
	target float64
	start  time.Time
	last   time.Time
	order  []string
	lanes  map[string]*laneState
	drawn  []string // lines on the screen
	news   bool
}

type laneState struct {
	state string
	word  string
	ended bool
	told  bool // a plain line has told that it ended
	curve []float64
	best  float64
}

// Race starts to show a race towards a target score; a target of 1 or more
// means that the best wins.
func (p *Progress) Race(title string, target float64) *Race {
	now := p.now()
	return &Race{p: p, title: title, target: target, start: now, lanes: map[string]*laneState{}}
}

// Update shows the lanes as they are now.
func (r *Race) Update(lanes []Lane) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	for _, lane := range lanes {
		r.take(lane)
	}
	now := r.p.now()
	if len(r.order) == 0 {
		return
	}
	switch r.p.mode {
	case Bar:
		if now.Sub(r.start) >= patience {
			r.redraw(now)
		}
	case Plain:
		if now.Sub(r.start) >= patience {
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
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	if len(r.drawn) > 0 {
		r.redraw(r.p.now())
		r.drawn = nil
	}
}

// take adds what a lane has to tell to what is known about it. A poll may have
// missed scores and may repeat some: Recent is joined to the curve where they
// overlap most.
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
	for _, score := range unseen(known.curve, lane.Recent) {
		known.curve = append(known.curve, score)
		known.best = max(known.best, score)
		r.news = true
	}
}

// unseen gives the end of recent that is not yet at the end of curve.
func unseen(curve, recent []float64) []float64 {
	for n := min(len(curve), len(recent)); n > 0; n-- {
		if slices.Equal(curve[len(curve)-n:], recent[:n]) {
			return recent[n:]
		}
	}
	return recent
}

// redraw writes the picture over the last one.
func (r *Race) redraw(now time.Time) {
	width := r.p.width() - 1
	lines := []string{Cut(fmt.Sprintf("%s · %s", Escape(r.title), Duration(now.Sub(r.start))), width)}
	lines = append(lines, r.picture(width)...)
	var b strings.Builder
	if len(r.drawn) > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", rows(r.drawn, r.p.width()))
	}
	for _, line := range lines {
		b.WriteString("\r\x1b[K" + line + "\n")
	}
	r.drawn = lines
	fmt.Fprint(r.p.out, b.String())
}

// rows is how many rows of a terminal the lines take up: one that has been made
// narrower since they were written has wrapped them.
func rows(lines []string, width int) int {
	n := 0
	for _, line := range lines {
		n += max(1, (twwidth.Width(line)+width-1)/width)
	}
	return n
}

// picture is one line a lane: the leader marked, the curve as a sparkline as
// wide as the terminal lets it be.
func (r *Race) picture(width int) []string {
	leader := r.leader()
	name := 0
	for _, n := range r.order {
		name = max(name, len([]rune(n)))
	}
	const fixed = 4 + 7 + 8 + 15 // mark and gaps, latest, best, state
	spark := min(32, width-fixed-name)
	indent := name + 3
	if spark >= 5 {
		indent += spark + 1
	}
	lines := []string{r.p.style.Dim(fmt.Sprintf("%*s%-6s  %-6s", indent, "", "latest", "best"))}
	for _, n := range r.order {
		lane := r.lanes[n]
		mark := " "
		if n == leader {
			mark = "›"
		}
		line := fmt.Sprintf("%s %-*s ", mark, name, Escape(n))
		if spark >= 5 {
			line += r.p.style.Cyan(Sparkline(lane.curve, spark)) + " "
		}
		line += fmt.Sprintf("%s  %s  ", score(lane.latest()), r.p.style.Bold(score(lane.best)))
		line += r.paint(lane)
		lines = append(lines, line)
	}
	return lines
}

// leader is the lane with the best score so far, or none.
func (r *Race) leader() string {
	best, leader := math.Inf(-1), ""
	for _, n := range r.order {
		if r.lanes[n].best > best {
			best, leader = r.lanes[n].best, n
		}
	}
	return leader
}

func (r *Race) paint(lane *laneState) string {
	switch {
	case lane.state == "COMPLETED":
		return r.p.style.Green(lane.word)
	case lane.state == "FAILED":
		return r.p.style.Red(lane.word)
	case lane.ended:
		return r.p.style.Dim(lane.word)
	}
	return lane.word
}

// tell writes a line for each lane that has ended, and where all are every
// half minute.
func (r *Race) tell(now time.Time) {
	for _, n := range r.order {
		lane := r.lanes[n]
		if lane.ended && !lane.told {
			lane.told = true
			fmt.Fprintf(r.p.out, "race %s: %s %s, best %s\n", Duration(now.Sub(r.start)), Escape(n), lane.word, score(lane.best))
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
	fmt.Fprintf(r.p.out, "race %s: %s\n", Duration(now.Sub(r.start)), strings.Join(parts, ", "))
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

func (r *Race) event(now time.Time) raceEvent {
	e := raceEvent{Event: "race", Seconds: math.Round(now.Sub(r.start).Seconds()*10) / 10, Target: r.target}
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

// Sparkline draws values in exactly width characters, the newest at the right;
// more values than characters show the newest ones.
func Sparkline(values []float64, width int) string {
	const blocks = "▁▂▃▄▅▆▇█"
	levels := []rune(blocks)
	if len(values) > width {
		values = values[len(values)-width:]
	}
	pad := strings.Repeat(" ", width-len(values))
	if len(values) == 0 {
		return pad
	}
	low, high := slices.Min(values), slices.Max(values)
	var b strings.Builder
	for _, v := range values {
		level := len(levels) / 2
		if high > low {
			level = int((v - low) / (high - low) * float64(len(levels)-1))
		}
		b.WriteRune(levels[level])
	}
	return b.String() + pad
}
