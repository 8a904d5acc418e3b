package outage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
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
		m.down.Store(true)
		for range 3 {
			m.log.Warn("request failed", "error", fmt.Errorf("request: %w", errDown))
		}
		if got, want := m.lines(), "level=WARN msg=\"the store is unavailable\" error=\"request: no answer\"\n"; got != want || m.monitor.IsAvailable() {
			t.Errorf("at the beginning, the log has %q, want %q", got, want)
		}
		for range 125 {
			time.Sleep(time.Second)
			m.log.Error("request failed", "request", 7, "error", errDown)
		}
		got := m.lines()
		if strings.Count(got, "\n") != 2 || !strings.HasPrefix(got, "level=WARN msg=\"the store is still unavailable\" elapsed=1m0s error=\"no answer\"\n") {
			t.Errorf("after two minutes, the log has %q", got)
		}
		m.down.Store(false)
		time.Sleep(2 * time.Second)
		if got := m.lines(); got != "" || !m.monitor.IsAvailable() {
			t.Errorf("soon after the outage: available %v, log %q", m.monitor.IsAvailable(), got)
		}
		m.log.Warn("request failed", "error", errDown) // it began during the outage
		if m.monitor.IsAvailable() {
			t.Error("available after a failure")
		}
		time.Sleep(settleTime + 2*outageInterval)
		if got, want := m.lines(), "level=WARN msg=\"the store is available again\" outage=2m8s\n"; got != want {
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
		m.log.Warn("request failed", "error", errDown)
		if got := m.lines(); !strings.Contains(got, "level=DEBUG msg=\"request failed\" process=1 error=\"no answer\"\n") {
			t.Errorf("the log has %q", got)
		}
	})
}
