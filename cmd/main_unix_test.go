//go:build unix

package cmd

import (
	"syscall"
	"testing"
	"time"

	"foretell/internal/cli"
)

// TestRepeatedSignal sends an interrupt three times: the first two at the same time, as from
// timeout(1), and the third later. The second must be ignored.
func TestRepeatedSignal(t *testing.T) {
	times := make(chan time.Time)
	handled := make(chan string, 3)
	f := &cli.Factory{Now: func() time.Time { return <-times }}
	handle := func(name string) {
		handler := func() { handled <- name }
		f.OnInterrupt.Store(&handler)
	}
	ctx, stop := catchSignals(f)
	defer stop()
	interrupt := func(at time.Time) {
		t.Helper()
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		select {
		case times <- at:
		case <-time.After(time.Minute):
			t.Fatal("the time of the signal was not used")
		}
	}
	start := time.Unix(0, 0)
	handle("first")
	interrupt(start)
	if got := <-handled; got != "first" {
		t.Fatalf("handled %q", got)
	}
	handle("later")
	interrupt(start)
	interrupt(start.Add(time.Second))
	select {
	case times <- start.Add(time.Second):
	case <-time.After(time.Minute):
		t.Fatal("the third signal was ignored")
	}
	if got := <-handled; got != "later" || ctx.Err() != nil {
		t.Errorf("handled %q; %v", got, ctx.Err())
	}
	handled <- "end"
	if got := <-handled; got != "end" {
		t.Errorf("the interrupt was handled again: %q", got)
	}
}

// TestSignalsOfLogout sends SIGTERM, SIGHUP and SIGTERM at almost the same time, as a logout does. The
// second and the third must not end the process.
func TestSignalsOfLogout(t *testing.T) {
	start := time.Now()
	timed := make(chan bool, 3) // the times of the first and the third signal are used
	ctx, stop := catchSignals(&cli.Factory{Now: func() time.Time { timed <- true; return start }})
	defer stop()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGTERM} {
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
	}
	for range 2 { // a signal that arrives after stop would end the test program
		select {
		case <-timed:
		case <-time.After(time.Minute):
			t.Fatal("the third signal was not handled")
		}
	}
}
