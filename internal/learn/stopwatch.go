package learn

import (
	"sync"
	"time"
)

// stopwatch measures the time in intervals that may overlap. Time that is in several intervals
// counts only once. It is safe for concurrent use. The zero value has measured nothing.
type stopwatch struct {
	mu       sync.Mutex
	running  int // number of starts without a stop
	began    time.Time
	measured time.Duration // until running last became 0
}

// start begins an interval. The caller must call stop exactly once to end it. now is the clock.
func (s *stopwatch) start(now func() time.Time) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == 0 {
		s.began = now()
	}
	s.running++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.running--; s.running == 0 {
			s.measured += now().Sub(s.began)
		}
	}
}

// elapsed returns the measured time. now is the clock.
func (s *stopwatch) elapsed(now func() time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == 0 {
		return s.measured
	}
	return s.measured + now().Sub(s.began)
}
