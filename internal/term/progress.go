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

// Mode is how progress is shown.
type Mode string

// The modes of progress.
const (
	Auto  Mode = "auto"  // Bar where lines can be redrawn, Plain elsewhere
	Bar   Mode = "bar"   // redrawn in place
	Plain Mode = "plain" // lines, few of them
	JSON  Mode = "json"  // one JSON event a line
	None  Mode = "none"
)

// Modes returns the values of a flag.
func Modes() []string {
	return []string{string(Auto), string(Bar), string(Plain), string(JSON), string(None)}
}

// Progress shows the progress of long work. Work of less than a second shows nothing,
// except JSON events.
type Progress struct {
	mode    Mode
	out     io.Writer
	unicode bool // more than ASCII can be shown
	width   func() int
	height  func() int // 0 if it is not known
	style   Style
	now     func() time.Time
	mu      sync.Mutex
}

const (
	showAfter        = time.Second            // work under it shows nothing
	frameInterval    = 100 * time.Millisecond // between two frames
	reminderInterval = 30 * time.Second       // between two plain lines without news
	redrawInterval   = 250 * time.Millisecond // between two frames without news
)

// NewProgress returns the progress at Err. now is the clock.
func (c *Console) NewProgress(mode Mode, now func() time.Time) *Progress {
	if mode == Auto {
		mode = Plain
		if c.Redraw {
			mode = Bar
		}
	}
	return &Progress{mode: mode, out: c.Err, unicode: c.Unicode, width: c.ErrWidth, height: c.errHeight, style: c.ErrStyle, now: now}
}

// event writes one JSON line, ignoring errors.
func (p *Progress) event(v any) {
	if line, err := EncodeJSONLine(v); err == nil {
		_, _ = p.out.Write(line)
	}
}

// animate redraws regularly, so that the clock advances and a resized terminal is
// repaired. stop ends it and may be called twice.
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

// asciiReplacer replaces the characters of progress by ASCII.
var asciiReplacer = strings.NewReplacer("▁", ".", "▂", ":", "▃", "-", "▄", "=", "▅", "+", "▆", "*", "▇", "#", "█", "@",
	"┄", "-", "›", ">", "·", "-", "–", "-", "…", "~")

// toASCII replaces characters that the terminal does not support.
func (p *Progress) toASCII(line string) string {
	if p.unicode {
		return line
	}
	return asciiReplacer.Replace(line)
}

// replace draws a line over drawn, in which the cursor is.
func (p *Progress) replace(drawn []string, line string) []string {
	up := ""
	if n := rows(drawn, p.width()); n > 1 { // wrapped: see [Race.redraw]
		up = fmt.Sprintf("\x1b[%dA\r\x1b[J", n-1)
	}
	line = p.toASCII(line)
	fmt.Fprintf(p.out, "%s\r%s\x1b[J", up, line)
	return []string{line}
}

// Meter shows the bytes of a transfer.
type Meter struct {
	p         *Progress
	label     string
	total     int64
	start     time.Time
	last      time.Time // of the last line or event
	lastTenth int64     // tenths of total that the last line showed
	bar       *progressbar.ProgressBar
	shown     atomic.Bool // the bar, see Write
}

// Bytes starts a meter for a transfer of total bytes; -1 if that is unknown.
func (p *Progress) Bytes(label string, total int64) *Meter {
	start := p.now()
	m := &Meter{p: p, label: label, total: total, start: start, last: start}
	if p.mode == Bar {
		// It is created now although it is shown later, because its rate counts from
		// here.
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

// Write shows the bar's frames after showAfter. A bar of unknown length is also drawn
// from its own goroutine.
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
		m.report(n, now)
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

func (m *Meter) report(n int64, now time.Time) {
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
		m.p.event(m.event(n))
		return
	}
	if m.total > 0 {
		fmt.Fprintf(m.p.out, "%s: %d %% of %s\n", Escape(m.label), tenth*10, Bytes(m.total))
	} else {
		fmt.Fprintf(m.p.out, "%s: %s\n", Escape(m.label), Bytes(n))
	}
}

func (m *Meter) event(n int64) transferEvent {
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
		_ = m.bar.Finish() // ends its goroutine, which Exit does not
		m.bar = nil
		if m.shown.Swap(false) {
			fmt.Fprint(m.p.out, "\r\x1b[K")
		}
	}
}

// Phase is work of unknown length.
type Phase struct {
	p      *Progress
	label  string
	start  time.Time
	last   time.Time
	detail string
	drawn  []string // the line on the screen
	stop   func()
}

type phaseEvent struct {
	Event string `json:"event"`
	What  string `json:"what"`
}

// Phase starts a phase, such as "the service is preparing the dataset".
func (p *Progress) Phase(label string) *Phase {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mode == JSON {
		p.event(phaseEvent{"phase", label})
	}
	f := &Phase{p: p, label: label, start: p.now()}
	f.stop = p.animate(f.frame)
	return f
}

// Tick updates the phase; detail may describe its progress.
func (f *Phase) Tick(detail string) {
	f.p.mu.Lock()
	defer f.p.mu.Unlock()
	f.detail = detail
	now := f.p.now()
	if f.p.mode != Plain || now.Sub(f.start) < showAfter {
		return
	}
	if f.last.IsZero() || now.Sub(f.last) >= reminderInterval {
		fmt.Fprintln(f.p.out, f.text())
		f.last = now
	}
}

// Share is [Phase.Tick] with the number of bytes done of a total.
func (f *Phase) Share(done, total int64) {
	if total <= 0 {
		f.Tick("")
		return
	}
	done = min(done, total)
	f.Tick(fmt.Sprintf("%s %d %% of %s", progressBar(done, total, f.p.unicode), 100*done/total, Bytes(total)))
}

// progressBar draws done of total.
func progressBar(done, total int64, signs bool) string {
	const width = 16
	full := int(width * done / total)
	if signs {
		return strings.Repeat("█", full) + strings.Repeat("░", width-full)
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}

// text returns the label and the detail.
func (f *Phase) text() string {
	if f.detail == "" {
		return Escape(f.label)
	}
	return Escape(f.label) + ", " + Escape(f.detail)
}

// frame redraws the line.
func (f *Phase) frame(now time.Time) {
	if elapsed := now.Sub(f.start); elapsed >= showAfter {
		line := fmt.Sprintf("%s … %s", f.text(), clock(elapsed))
		f.drawn = f.p.replace(f.drawn, Truncate(line, f.p.width()-1))
	}
}

// Done ends the phase and clears its line.
func (f *Phase) Done() {
	f.stop()
	f.p.mu.Lock()
	defer f.p.mu.Unlock()
	if len(f.drawn) > 0 {
		f.p.replace(f.drawn, "")
		f.drawn = nil
	}
}
