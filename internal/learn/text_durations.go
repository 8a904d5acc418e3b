package learn

import (
	"sync"
	"time"

	"foretell/internal/learn/codec"
)

// textDurations are the times that the texts of a race took, 0 without a clock.
type textDurations struct {
	reading  time.Duration // to encode all texts
	training time.Duration // to train the models of folds
	rows     int           // the number of training rows of these folds
}

// textTimer measures textDurations. It is safe for concurrent use.
type textTimer struct {
	mu    sync.Mutex
	known textDurations
	spent time.Duration // on this machine
	// measured reports whether known was measured on this machine. Otherwise it was
	// recorded on another one.
	measured bool
}

// add adds what was measured on this machine.
func (t *textTimer) add(d textDurations) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.measured {
		t.known, t.measured = textDurations{}, true
	}
	t.known.reading += d.reading
	t.known.training += d.training
	t.known.rows += d.rows
	t.spent += d.reading + d.training
}

// addRecorded adds what was measured on another machine, if anything was. It is used only as
// long as nothing was measured on this one.
func (t *textTimer) addRecorded(d textDurations) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.measured && d.rows > 0 {
		t.known = d
	}
}

// durations returns what was measured.
func (t *textTimer) durations() textDurations {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known
}

// spentHere returns the time that texts took on this machine so far.
func (t *textTimer) spentHere() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spent
}

// estimate returns the estimated time to train the models of texts on the given number of
// rows. It includes the time to encode the texts if this machine has not done so yet.
func (t *textTimer) estimate(rows int) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := time.Duration(float64(t.known.training) * float64(rows) / float64(max(t.known.rows, 1)))
	if !t.measured {
		d += t.known.reading
	}
	return d
}

func (d textDurations) write(w *codec.Writer) {
	w.Float64(d.reading.Seconds())
	w.Float64(d.training.Seconds())
	w.Float64(float64(d.rows))
}

func readTextDurations(r *codec.Reader) textDurations {
	reading, training, rows := r.FiniteFloat64(), r.FiniteFloat64(), r.FiniteFloat64()
	const limit = 1e9 // seconds and rows
	if !(min(reading, training, rows) >= 0 && max(reading, training, rows) < limit) {
		r.Fail("invalid time of texts")
		return textDurations{}
	}
	return textDurations{time.Duration(reading * float64(time.Second)), time.Duration(training * float64(time.Second)), int(rows)}
}
