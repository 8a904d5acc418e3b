// Package outage reports the outages of a service that the program depends on, such as its
// database. During an outage, many requests and jobs fail with the same cause. Instead of a line
// for each of them, the log contains a line when the outage begins, a line each minute while it
// lasts, and a line when it has ended.
//
//	              failed probe                 successful probe
//	available ────────────────────▶ unavailable ──────────────────▶ recovering
//	    ▲                                ▲          failed probe         │
//	    │                                └───────────────────────────────┤
//	    └────────────────────────────────────────────────────────────────┘
//	                     no failed probe for settleTime
//
// The probes are regular. An error in the log (see [NewHandler]) does not begin an outage, because it
// may have another cause, such as a conflict of two transactions. It only makes the next probe early.
package outage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const (
	// idleInterval is the time between two probes while there is no outage, and outageInterval
	// during an outage.
	idleInterval   = 10 * time.Second
	outageInterval = time.Second
	// probeTimeout is the time limit of a probe. It is shorter than the time limits of requests and
	// jobs, so that the outage is noticed soon if the service accepts connections but does not
	// respond.
	probeTimeout = 5 * time.Second
	// settleTime is the time without a failed probe after which an outage has ended. Requests that
	// began during the outage may still fail in this time.
	settleTime = 5 * time.Second
	// reminderInterval is the time between two log lines about the same outage.
	reminderInterval = time.Minute
)

var errPending = errors.New("no response to an earlier probe")

// Config configures a Monitor. All fields are required.
type Config struct {
	// Name is the name of the monitored service in messages, such as "the database".
	Name string
	// Probe returns nil if the service responds. It should return soon after ctx is done, but the
	// monitor does not wait for it: a read from a hanging file system, for example, cannot be
	// interrupted.
	Probe func(ctx context.Context) error
	// IsOutage reports whether an error of the program may have been caused by an outage of the
	// service.
	IsOutage func(err error) bool
	Now      func() time.Time
	// Log receives the lines about outages.
	Log *slog.Logger
}

// Monitor observes whether a service is available. It is safe for concurrent use.
type Monitor struct {
	Config
	wake    chan struct{} // makes Run probe soon
	probing chan struct{} // has an element while a call of Probe has not returned

	mu sync.Mutex
	// running reports whether Run is running. Otherwise no outage is reported.
	running bool
	// began is when the current outage began, as far as is known; zero if there is no outage.
	// lastFailure is the time of the last failed probe. logged is the time of the last line in the
	// log.
	began, lastFailure, logged time.Time
	// recovered is the time of the first successful probe after the last failed one; zero if there was
	// none.
	recovered time.Time
}

// New returns a monitor. It reports nothing until Run is called.
func New(c Config) *Monitor {
	return &Monitor{Config: c, wake: make(chan struct{}, 1), probing: make(chan struct{}, 1)}
}

// Run probes the service and reports its outages, until ctx is done. It does not wait for a probe that
// ignores ctx.
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
			m.recordSuccess()
		}
		m.sleep(ctx)
	}
}

// probeOnce probes the service, with the time limit probeTimeout. If an earlier call of Probe still
// runs, it returns an error at once.
func (m *Monitor) probeOnce(ctx context.Context) error {
	select {
	case m.probing <- struct{}{}:
	default:
		return errPending
	}
	limited, done := context.WithTimeout(ctx, probeTimeout)
	defer done()
	result := make(chan error, 1)
	go func() {
		err := m.Probe(limited)
		<-m.probing
		result <- err
	}()
	var err error
	select {
	case err = <-result:
	case <-limited.Done():
		err = limited.Err()
	}
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

// sleep waits until the next probe is due: during an outage for outageInterval, and otherwise for
// idleInterval. If an error wakes the monitor, it waits for less than idleInterval, but at least
// for outageInterval.
func (m *Monitor) sleep(ctx context.Context) {
	sleepOrWake(ctx, outageInterval, nil)
	m.mu.Lock()
	isIdle := m.began.IsZero()
	m.mu.Unlock()
	if isIdle {
		sleepOrWake(ctx, idleInterval-outageInterval, m.wake)
	}
}

// sleepOrWake waits until the time has passed, ctx is done, or wake has an element.
func sleepOrWake(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-wake:
	}
}

// IsAvailable reports whether the last probe was successful. It returns true if there was none.
func (m *Monitor) IsAvailable() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.began.IsZero() || !m.recovered.IsZero()
}

// HasReportedCause reports whether err may have been caused by an outage that the monitor has reported. If no
// outage is known, the error makes Run probe soon.
func (m *Monitor) HasReportedCause(err error) bool {
	if !m.IsOutage(err) {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running && !m.began.IsZero() {
		return true
	}
	select {
	case m.wake <- struct{}{}:
	default: // Run will probe anyway
	}
	return false
}

// recordFailure records that a probe that began at the given time has failed. It logs a line at
// the beginning of an outage, and then at intervals of reminderInterval.
func (m *Monitor) recordFailure(err error, probeBegan time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.Now()
	m.lastFailure, m.recovered = now, time.Time{}
	switch {
	case m.began.IsZero():
		m.began, m.logged = probeBegan, now
		m.Log.Warn(m.Name+" is unavailable", "error", err)
	case now.Sub(m.logged) >= reminderInterval:
		m.logged = now
		m.Log.Warn(m.Name+" is still unavailable", "elapsed", now.Sub(m.began).Round(time.Second), "error", err)
	}
}

// recordSuccess records that a probe was successful. If no probe has failed for settleTime, it ends
// the outage.
func (m *Monitor) recordSuccess() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.began.IsZero() {
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
