// Package outage reports the outages of a service that the program depends on, such as its
// database. During an outage, many requests and jobs fail with the same cause. Instead of a line
// for each of them, the log has a line when the outage begins, one a minute while it lasts, and one
// when it has ended.
//
//	                 failure                     successful probe
//	available ────────────────────▶ unavailable ──────────────────▶ recovering
//	    ▲                                ▲            failure            │
//	    │                                └───────────────────────────────┤
//	    └────────────────────────────────────────────────────────────────┘
//	                       no failure for settleTime
//
// Failures are found by a regular probe, and in the records of the log (see [NewHandler]).
package outage

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const (
	// idleInterval is the time between two probes while there is no outage, and outageInterval is
	// this time during an outage.
	idleInterval   = 10 * time.Second
	outageInterval = time.Second
	// probeTimeout is the time limit of a probe. It is shorter than the time limits of requests and
	// jobs, so that the outage of a service that accepts connections, but does not respond, is
	// noticed soon.
	probeTimeout = 5 * time.Second
	// settleTime is the time without a failure after which an outage has ended. Without it, requests
	// that began during the outage and fail later would be reported as further outages.
	settleTime = 5 * time.Second
	// reminderInterval is the time between two log lines about the same outage.
	reminderInterval = time.Minute
)

// Config configures a Monitor. All fields are required.
type Config struct {
	// Name is what messages call the monitored service, such as "the database".
	Name string
	// Probe returns nil if the service responds.
	Probe func(ctx context.Context) error
	// IsOutage reports whether an error of the program was caused by an outage of the service.
	IsOutage func(err error) bool
	Now      func() time.Time
	// Log receives the lines about outages.
	Log *slog.Logger
}

// Monitor observes whether a service is available. It is safe for concurrent use.
type Monitor struct {
	Config
	wake chan struct{} // makes Run probe soon

	mu sync.Mutex
	// running reports whether Run is running. Otherwise nobody would find out that an outage has
	// ended, so failures are ignored.
	running bool
	// began is when the current outage began, as far as is known. It is zero if there is no outage.
	// lastFailure is the time of the last failure, and logged that of the last line of the log.
	began, lastFailure, logged time.Time
	// recovered is the time of the first successful probe after the last failure; zero if there was
	// none.
	recovered time.Time
}

// New returns a monitor. It reports nothing until Run is called.
func New(c Config) *Monitor { return &Monitor{Config: c, wake: make(chan struct{}, 1)} }

// Run probes the service and reports its outages, until ctx is done.
func (m *Monitor) Run(ctx context.Context) {
	m.setRunning(true)
	defer m.setRunning(false)
	for ctx.Err() == nil {
		began := m.Now()
		err := m.probeOnce(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			m.recordFailure(err, began)
		default:
			m.recordSuccess(began)
		}
		m.sleep(ctx)
	}
}

// probeOnce probes the service, with the time limit probeTimeout.
func (m *Monitor) probeOnce(ctx context.Context) error {
	limited, done := context.WithTimeout(ctx, probeTimeout)
	defer done()
	err := m.Probe(limited)
	if err != nil && limited.Err() != nil {
		return fmt.Errorf("no response within %s: %w", probeTimeout, err)
	}
	return err
}

func (m *Monitor) setRunning(running bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running = running
}

// sleep waits until the next probe is due.
func (m *Monitor) sleep(ctx context.Context) {
	interval, wake := outageInterval, (<-chan struct{})(nil)
	m.mu.Lock()
	if m.began.IsZero() {
		interval, wake = idleInterval, m.wake
	}
	m.mu.Unlock()
	timer := time.NewTimer(interval)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-wake:
	}
}

// IsAvailable reports whether the service responded when it was last used or probed. It returns
// true if this is unknown.
func (m *Monitor) IsAvailable() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.began.IsZero() || !m.recovered.IsZero()
}

// Covers reports whether err was caused by an outage that the monitor reports. If so, the monitor
// takes note of it.
func (m *Monitor) Covers(err error) bool {
	if !m.IsOutage(err) {
		return false
	}
	return m.recordFailure(err, m.Now())
}

// recordFailure records that the service has not responded since the given time, and logs a line if
// one is due. It returns false, and records nothing, if Run is not running.
func (m *Monitor) recordFailure(err error, since time.Time) (recorded bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.running {
		return false
	}
	now := m.Now()
	m.lastFailure, m.recovered = now, time.Time{}
	switch {
	case m.began.IsZero():
		m.began, m.logged = since, now
		m.Log.Warn(m.Name+" is unavailable", "error", err)
		select {
		case m.wake <- struct{}{}:
		default: // Run will probe anyway
		}
	case now.Sub(m.logged) >= reminderInterval:
		m.logged = now
		m.Log.Warn(m.Name+" is still unavailable", "elapsed", now.Sub(m.began).Round(time.Second), "error", err)
	}
	return true
}

// recordSuccess records that a probe that began at the given time was successful. If there was no
// failure for settleTime, it ends the outage.
func (m *Monitor) recordSuccess(probeBegan time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.began.IsZero() || m.lastFailure.After(probeBegan) {
		return
	}
	now := m.Now()
	if m.recovered.IsZero() {
		m.recovered = now
	}
	if now.Sub(m.lastFailure) < settleTime {
		return
	}
	m.Log.Warn(m.Name+" is available again", "outage", m.recovered.Sub(m.began).Round(100*time.Millisecond)) // a warning, so that both lines have the same level
	m.began = time.Time{}
}
