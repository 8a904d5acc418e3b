package learn

import (
	"sync"
	"time"
)

// stopwatch measures the time during which it runs at least once: intervals that overlap
// count once. It is safe for concurrent use. The zero value has measured nothing.
type stopwatch struct {
	mu       sync.Mutex
	running  int // number of starts without a stop
	began    time.Time
	measured time.Duration // until the last time at which running was 0
}

// start starts the stopwatch. The parameter now is the clock. The stopwatch runs until the
// caller calls stop, exactly once.
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

// elapsed returns the measured time. The parameter now is the clock.
func (s *stopwatch) elapsed(now func() time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == 0 {
		return s.measured
	}
	return s.measured + now().Sub(s.began)
}
