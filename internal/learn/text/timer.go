package text

import (
	"sync"
	"time"

	"foretell/internal/learn/codec"
)

// Durations are the times that a race has spent on text columns. All fields are 0 if
// the race has no clock.
type Durations struct {
	Reading  time.Duration // to encode all texts
	Training time.Duration // to train the models of folds
	Rows     int           // the number of training rows of these folds
}

// Timer adds up Durations. It is safe for concurrent use.
type Timer struct {
	mu    sync.Mutex
	known Durations
	// measured reports whether Add was called. If it is false, known is zero or was set by
	// SetRecorded.
	measured bool
}

// Add adds times that were measured on this machine.
func (t *Timer) Add(d Durations) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.measured {
		t.known, t.measured = Durations{}, true
	}
	t.known.Reading += d.Reading
	t.known.Training += d.Training
	t.known.Rows += d.Rows
}

// SetRecorded sets the times to d, which another machine measured. It does nothing if d is zero, or
// after Add was called.
func (t *Timer) SetRecorded(d Durations) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.measured && d.Rows > 0 {
		t.known = d
	}
}

// Durations returns the times passed to Add or, if Add was not called, to SetRecorded.
func (t *Timer) Durations() Durations {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known
}

// Estimate returns the estimated time to train the text models on the given number of
// rows. It includes the time to encode the texts if this machine has not done so yet.
func (t *Timer) Estimate(rows int) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := time.Duration(float64(t.known.Training) * float64(rows) / float64(max(t.known.Rows, 1)))
	if !t.measured {
		d += t.known.Reading
	}
	return d
}

// Write writes d to w in the form that ReadDurations reads.
func (d Durations) Write(w *codec.Writer) {
	w.Float64(d.Reading.Seconds())
	w.Float64(d.Training.Seconds())
	w.Float64(float64(d.Rows))
}

// ReadDurations reads what Durations.Write has written.
func ReadDurations(r *codec.Reader) Durations {
	reading, training, rows := r.FiniteFloat64(), r.FiniteFloat64(), r.FiniteFloat64()
	const limit = 1e9 // seconds and rows
	if !(min(reading, training, rows) >= 0 && max(reading, training, rows) < limit) {
		r.Fail("invalid time of texts")
		return Durations{}
	}
	return Durations{time.Duration(reading * float64(time.Second)), time.Duration(training * float64(time.Second)), int(rows)}
}
