package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
)

// ProgressMode says how progress is shown.
type ProgressMode string

// The modes of progress.
const (
	Auto  ProgressMode = "auto"  // Bar if lines can be redrawn, Plain otherwise
	Bar   ProgressMode = "bar"   // lines that are redrawn in place
	Plain ProgressMode = "plain" // a few lines that are never redrawn
	JSON  ProgressMode = "json"  // one JSON event a line
	None  ProgressMode = "none"  // no progress
)

// ProgressModes returns all modes, which are the valid values of a flag.
func ProgressModes() []string {
	return []string{string(Auto), string(Bar), string(Plain), string(JSON), string(None)}
}

// Progress shows the progress of long work. For work of less than a second it shows nothing,
// except as JSON events.
type Progress struct {
	mode    ProgressMode
	out     io.Writer
	unicode bool // whether more than ASCII can be shown
	width   func() int
	height  func() int // returns 0 if the height is unknown
	style   Style
	now     func() time.Time
	mu      sync.Mutex
}

const (
	showAfter        = time.Second            // the progress of shorter work is not shown
	frameInterval    = 100 * time.Millisecond // minimum time between two frames
	reminderInterval = 30 * time.Second       // time between two plain lines if nothing changes
	redrawInterval   = 250 * time.Millisecond // time between two frames if nothing changes
)

// NewProgress returns a Progress that writes to Err. now is the clock.
func (c *Console) NewProgress(mode ProgressMode, now func() time.Time) *Progress {
	if mode == Auto {
		mode = Plain
		if c.Redraw {
			mode = Bar
		}
	}
	return &Progress{mode: mode, out: c.Err, unicode: c.Unicode, width: c.ErrWidth, height: c.errHeight, style: c.ErrStyle, now: now}
}

// writeEvent writes v as one JSON line. It ignores errors.
func (p *Progress) writeEvent(v any) {
	if line, err := EncodeJSONLine(v); err == nil {
		_, _ = p.out.Write(line)
	}
}

// animate calls draw four times a second in Bar mode. This advances the displayed time, and adapts
// the display to a resized terminal. The function stop ends the calls of draw. It may be called
// twice.
func (p *Progress) animate(draw func(now time.Time)) (stop func()) {
	if p.mode != Bar {
		return func() {}
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(redrawInterval)
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				p.mu.Lock()
				draw(p.now())
				p.mu.Unlock()
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-ended
	})
}

// asciiReplacer replaces the non-ASCII characters that Progress draws.
var asciiReplacer = strings.NewReplacer("▁", ".", "▂", ":", "▃", "-", "▄", "=", "▅", "+", "▆", "*", "▇", "#", "█", "@",
	"┄", "-", "›", ">", "·", "-", "–", "-", "…", "~")

// toASCII replaces the characters of line that the terminal does not support.
func (p *Progress) toASCII(line string) string {
	if p.unicode {
		return line
	}
	return asciiReplacer.Replace(line)
}

// redrawLine draws the given line over the line with the cursor, and returns the text that it
// has drawn. drawn is the result of the previous call; nil if there was none.
func (p *Progress) redrawLine(drawn []string, line string) []string {
	up := ""
	if n := countTerminalRows(drawn, p.width()); n > 1 { // the terminal became narrower and has wrapped the line
		up = fmt.Sprintf("\x1b[%dA\r\x1b[J", n-1)
	}
	line = p.toASCII(line)
	fmt.Fprintf(p.out, "%s\r%s\x1b[J", up, line)
	return []string{line}
}

// Meter shows how many bytes of a transfer are done.
type Meter struct {
	p         *Progress
	label     string
	total     int64
	start     time.Time
	last      time.Time // when the last line or event was written
	lastTenth int64     // completed tenths of total in the last line
	bar       *progressbar.ProgressBar
	shown     atomic.Bool // whether the bar is visible; see Write
}

// StartTransfer starts a meter for a transfer of total bytes. total is -1 if it is unknown.
func (p *Progress) StartTransfer(label string, total int64) *Meter {
	start := p.now()
	m := &Meter{p: p, label: label, total: total, start: start, last: start}
	if p.mode == Bar {
		// The bar computes its rate from now on, although it is shown later.
		m.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(m),
			progressbar.OptionSetVisibility(true),
			progressbar.OptionSetDescription(Truncate(Escape(label), max(8, p.width()-48))),
			progressbar.OptionShowBytes(true),
			progressbar.OptionSetWidth(min(30, max(5, p.width()-60))),
			progressbar.OptionThrottle(frameInterval),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	return m
}

// Write writes a frame of the bar if the bar is shown. A bar of unknown length also calls
// Write from its own goroutine.
func (m *Meter) Write(frame []byte) (int, error) {
	if !m.shown.Load() {
		return len(frame), nil
	}
	_, err := io.WriteString(m.p.out, m.p.toASCII(string(frame)))
	return len(frame), err
}

type transferEvent struct {
	Event string `json:"event"`
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
	Total *int64 `json:"total,omitempty"`
}

// Set sets the number of transferred bytes. It may be called from any goroutine; n may
// decrease when a transfer restarts.
func (m *Meter) Set(n int64) {
	m.p.mu.Lock()
	defer m.p.mu.Unlock()
	now := m.p.now()
	switch m.p.mode {
	case Bar:
		m.redraw(n, now)
	case Plain, JSON:
		m.reportProgress(n, now)
	}
}

func (m *Meter) redraw(n int64, now time.Time) {
	if m.bar == nil {
		return
	}
	if now.Sub(m.start) >= showAfter {
		m.shown.Store(true)
	}
	_ = m.bar.Set64(n)
}

func (m *Meter) reportProgress(n int64, now time.Time) {
	tenth := m.lastTenth
	if m.total > 0 {
		tenth = n * 10 / m.total
	}
	if now.Sub(m.start) < showAfter && m.p.mode == Plain {
		return
	}
	if tenth == m.lastTenth && now.Sub(m.last) < reminderInterval {
		return
	}
	m.lastTenth, m.last = tenth, now
	if m.p.mode == JSON {
		m.p.writeEvent(m.newEvent(n))
		return
	}
	if m.total > 0 {
		fmt.Fprintf(m.p.out, "%s: %d %% of %s\n", Escape(m.label), tenth*10, FormatBytes(m.total))
	} else {
		fmt.Fprintf(m.p.out, "%s: %s\n", Escape(m.label), FormatBytes(n))
	}
}

func (m *Meter) newEvent(n int64) transferEvent {
	e := transferEvent{Event: "transfer", What: m.label, Bytes: n}
	if m.total >= 0 {
		e.Total = &m.total
	}
	return e
}

// Done ends the transfer and clears its bar.
func (m *Meter) Done() {
	m.p.mu.Lock()
	defer m.p.mu.Unlock()
	if m.bar != nil {
		_ = m.bar.Finish() // unlike Exit, this ends the goroutine of the bar
		m.bar = nil
		if m.shown.Swap(false) {
			fmt.Fprint(m.p.out, "\r\x1b[K")
		}
	}
}

// Phase shows the progress of work of unknown length.
type Phase struct {
	p      *Progress
	label  string
	start  time.Time
	last   time.Time // when the last plain line was printed
	detail string
	drawn  []string // the line on the screen
	stop   func()
}

type phaseEvent struct {
	Event string `json:"event"`
	What  string `json:"what"`
}

// StartPhase starts a phase. label describes it, such as "the service is preparing the
// dataset".
func (p *Progress) StartPhase(label string) *Phase {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mode == JSON {
		p.writeEvent(phaseEvent{"phase", label})
	}
	f := &Phase{p: p, label: label, start: p.now()}
	f.stop = p.animate(f.drawIfDue)
	return f
}

// Tick updates the phase. detail describes its progress and may be empty.
func (f *Phase) Tick(detail string) {
	f.p.mu.Lock()
	defer f.p.mu.Unlock()
	f.detail = detail
	now := f.p.now()
	if f.p.mode != Plain || now.Sub(f.start) < showAfter {
		return
	}
	if f.last.IsZero() || now.Sub(f.last) >= reminderInterval {
		fmt.Fprintln(f.p.out, f.line())
		f.last = now
	}
}

// TickBytes updates the phase with the number of bytes that are done. total is 0 if it is
// unknown.
func (f *Phase) TickBytes(done, total int64) {
	if total <= 0 {
		f.Tick("")
		return
	}
	done = min(done, total)
	f.Tick(fmt.Sprintf("%s %d %% of %s", progressBar(done, total, f.p.unicode), 100*done/total, FormatBytes(total)))
}

// progressBar draws done/total as a bar, in ASCII unless unicode is set.
func progressBar(done, total int64, unicode bool) string {
	const width = 16
	full := int(width * done / total)
	if unicode {
		return strings.Repeat("█", full) + strings.Repeat("░", width-full)
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}

// line returns the label and the detail.
func (f *Phase) line() string {
	if f.detail == "" {
		return Escape(f.label)
	}
	return Escape(f.label) + ", " + Escape(f.detail)
}

// drawIfDue redraws the line if the phase has lasted for at least showAfter.
func (f *Phase) drawIfDue(now time.Time) {
	if elapsed := now.Sub(f.start); elapsed >= showAfter {
		line := fmt.Sprintf("%s … %s", f.line(), formatWholeSeconds(elapsed))
		f.drawn = f.p.redrawLine(f.drawn, Truncate(line, f.p.width()-1))
	}
}

// Done ends the phase and clears its line.
func (f *Phase) Done() {
	f.stop()
	f.p.mu.Lock()
	defer f.p.mu.Unlock()
	if len(f.drawn) > 0 {
		f.p.redrawLine(f.drawn, "")
		f.drawn = nil
	}
}
