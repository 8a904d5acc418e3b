package outage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var (
	errDown    = errors.New("no answer")
	errUnknown = fmt.Errorf("perhaps stored: %w", errDown)
)

// monitored is a monitored service, and a program that logs its errors. Its methods must be called
// in a bubble of synctest.
type monitored struct {
	down    atomic.Bool // the service refuses connections
	hanging atomic.Bool // it does not respond
	probes  atomic.Int64
	monitor *Monitor
	log     *slog.Logger // of the program
	out     bytes.Buffer
}

// startMonitored runs a monitor until the test ends.
func startMonitored(t *testing.T, level slog.Level) *monitored {
	t.Helper()
	m := &monitored{}
	plain := slog.NewTextHandler(&m.out, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	m.monitor = New(Config{
		Name: "the store", Now: time.Now, Log: slog.New(plain), IsOutage: func(err error) bool { return errors.Is(err, errDown) },
		Probe: func(ctx context.Context) error {
			m.probes.Add(1)
			if m.hanging.Load() {
				<-ctx.Done()
				return ctx.Err()
			}
			if m.down.Load() {
				return errDown
			}
			return nil
		},
	})
	m.log = slog.New(NewHandler(plain, func(err error) bool { return errors.Is(err, errUnknown) }, m.monitor)).With("process", 1)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.monitor.Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-ended })
	synctest.Wait()
	return m
}

// lines returns the lines of the log since the last call.
func (m *monitored) lines() string {
	synctest.Wait()
	defer m.out.Reset()
	return m.out.String()
}

// TestOutage checks that an outage has one line at its beginning, one a minute, and one with its
// duration at its end, no matter how many errors it causes.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := startMonitored(t, slog.LevelInfo)
		time.Sleep(idleInterval / 2)
		m.down.Store(true)
		m.log.Warn("request failed", "error", fmt.Errorf("request: %w", errDown)) // before a probe has failed
		synctest.Wait()
		m.log.Warn("request failed", "error", errDown)
		got := slices.Sorted(strings.Lines(m.lines())) // sorted: the monitor's goroutine may write before this one
		if want := []string{
			"level=WARN msg=\"request failed\" process=1 error=\"request: no answer\"\n",
			"level=WARN msg=\"the store is unavailable\" error=\"no answer\"\n",
		}; !slices.Equal(got, want) || m.monitor.IsAvailable() {
			t.Errorf("at the beginning, the log has %q, want %q", got, want)
		}
		for range 125 {
			time.Sleep(time.Second)
			m.log.Error("request failed", "request", 7, "error", errDown)
		}
		reminders := m.lines()
		if strings.Count(reminders, "\n") != 2 || !strings.HasPrefix(reminders, "level=WARN msg=\"the store is still unavailable\" elapsed=1m0s error=\"no answer\"\n") {
			t.Errorf("after two minutes, the log has %q", reminders)
		}
		m.down.Store(false)
		time.Sleep(2 * time.Second)
		if got := m.lines(); got != "" || !m.monitor.IsAvailable() {
			t.Errorf("soon after the outage: available %v, log %q", m.monitor.IsAvailable(), got)
		}
		m.log.Warn("request failed", "error", errDown) // it began during the outage
		time.Sleep(settleTime + outageInterval)
		if got, want := m.lines(), "level=WARN msg=\"the store is available again\" outage=2m6s\n"; got != want {
			t.Errorf("at the end, the log has %q, want %q", got, want)
		}
	})
}

// TestIdleProgram checks that an outage is noticed although the program does not use the service.
func TestIdleProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := startMonitored(t, slog.LevelInfo)
		m.down.Store(true)
		time.Sleep(idleInterval)
		if got := m.lines(); !strings.Contains(got, "the store is unavailable") || m.monitor.IsAvailable() {
			t.Errorf("available %v, log %q", m.monitor.IsAvailable(), got)
		}
	})
}

// TestHangingService checks that the outage of a service that does not respond is noticed, and that
// its duration includes the time until then.
func TestHangingService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := startMonitored(t, slog.LevelInfo)
		m.hanging.Store(true)
		time.Sleep(idleInterval + probeTimeout)
		if got := m.lines(); !strings.Contains(got, "error=\"no response within 5s: context deadline exceeded\"") || m.monitor.IsAvailable() {
			t.Errorf("available %v, log %q", m.monitor.IsAvailable(), got)
		}
		m.hanging.Store(false)
		time.Sleep(settleTime + 2*outageInterval)
		if got, want := m.lines(), "level=WARN msg=\"the store is available again\" outage=6s\n"; got != want {
			t.Errorf("the log has %q, want %q", got, want)
		}
	})
}

// TestStuckProbe checks that the outage of a service whose probes ignore their context is noticed and
// ends, that there is only one such probe, and that Run does not wait for it.
func TestStuckProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var probes atomic.Int64
		release := make(chan struct{})
		var out bytes.Buffer
		m := New(Config{
			Name: "the store", Now: time.Now, Log: slog.New(slog.NewTextHandler(&out, nil)),
			Probe: func(context.Context) error { probes.Add(1); <-release; return nil },
		})
		run := func() (stop func()) {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); m.Run(ctx) }()
			return func() { cancel(); <-ended }
		}
		stop := run()
		time.Sleep(time.Minute)
		stop()
		if n := probes.Load(); n != 1 || m.IsAvailable() || strings.Count(out.String(), "is unavailable") != 1 {
			t.Errorf("available %v after %d probes, log\n%s", m.IsAvailable(), n, &out)
		}
		close(release)
		synctest.Wait()
		stop = run()
		time.Sleep(settleTime + outageInterval)
		stop()
		if !strings.Contains(out.String(), "is available again") {
			t.Errorf("the log is\n%s", &out)
		}
	})
}

// TestErrorsOfAnAvailableService checks that errors do not begin an outage if the service responds to
// the probes. Each error keeps its line, and the errors cause at most a probe a second.
func TestErrorsOfAnAvailableService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := startMonitored(t, slog.LevelInfo)
		for range 100 {
			time.Sleep(outageInterval / 10)
			m.log.Error("conflict", "error", errDown)
		}
		if got := m.lines(); strings.Count(got, "level=ERROR msg=conflict") != 100 || strings.Contains(got, "store") || !m.monitor.IsAvailable() {
			t.Errorf("available %v, log %q", m.monitor.IsAvailable(), got)
		}
		if n := m.probes.Load(); n > 12 {
			t.Errorf("%d probes in ten seconds", n)
		}
	})
}

// TestLevelError checks that a log without warnings has the errors that an outage causes, because it
// has no line about the outage.
func TestLevelError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := startMonitored(t, slog.LevelError)
		m.down.Store(true)
		time.Sleep(idleInterval + outageInterval)
		m.log.Error("job fails", "error", errDown)
		if got, want := m.lines(), "level=ERROR msg=\"job fails\" process=1 error=\"no answer\"\n"; got != want || m.monitor.IsAvailable() {
			t.Errorf("the log has %q, want %q", got, want)
		}
	})
}

// TestOtherRecords checks which records keep their level: those of other errors, those that the
// function keep selects, and all records if the monitor is not running.
func TestOtherRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := startMonitored(t, slog.LevelInfo)
		m.log.Warn("other", "error", errors.New("no such row"))
		m.log.Warn("text", "error", errDown.Error())
		if got := m.lines(); strings.Count(got, "level=WARN msg=") != 2 || !m.monitor.IsAvailable() {
			t.Errorf("the log has %q", got)
		}
		m.down.Store(true)
		time.Sleep(idleInterval + outageInterval)
		m.log.Error("lost", "error", errUnknown)
		if got := m.lines(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "level=ERROR msg=lost process=1 error=\"perhaps stored: no answer\"") {
			t.Errorf("the log has %q", got)
		}
		idle := New(m.monitor.Config)
		slog.New(NewHandler(m.log.Handler(), func(error) bool { return false }, idle)).WithGroup("g").Info("unmonitored", "error", errors.ErrUnsupported)
		if slog.New(NewHandler(slog.NewTextHandler(&m.out, nil), func(error) bool { return false }, idle)).Warn("kept", "error", errDown); !strings.Contains(m.lines(), "kept") {
			t.Error("an error is neither logged nor reported")
		}
	})
}

// TestDebug checks that the log of level debug has a line for each error.
func TestDebug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := startMonitored(t, slog.LevelDebug)
		m.down.Store(true)
		time.Sleep(idleInterval + outageInterval)
		m.log.Warn("request failed", "error", errDown)
		if got := m.lines(); !strings.Contains(got, "level=DEBUG msg=\"request failed\" process=1 error=\"no answer\"\n") {
			t.Errorf("the log has %q", got)
		}
	})
}
