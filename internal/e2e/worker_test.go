//go:build unix

package e2e_test

import (
	"strings"
	"syscall"
	"testing"

	"foretell/internal/testenv"
)

// TestWorker runs a service without jobs, and workers for its jobs: one prepares a dataset,
// one is stopped during a race, and one finishes the race.
func TestWorker(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	t.Run("SQLite", func(t *testing.T) { exerciseWorkers(t) })
	t.Run("PostgreSQL", func(t *testing.T) { exerciseWorkers(t, "--database", testenv.Postgres(t)) })
}

// exerciseWorkers does the test with flags for the service and the workers.
func exerciseWorkers(t *testing.T, flags ...string) {
	t.Helper()
	dir := t.TempDir()
	flags = append(flags, "--data-dir", dir)
	_, address := serveAt(t, "127.0.0.1:0", dir, append(flags, "--no-work")...)
	env := accountOn(t, address, flags...)
	foretell := foretellWith(t, env)
	// work starts a worker, sends it a signal when its log contains until, and returns the
	// log. The exit status of a stopped worker is 0.
	work := func(until string, signal syscall.Signal) string {
		got := runUntil(t, env, append([]string{"worker"}, flags...), until, signal)
		if got.code != 0 || got.stdout != "" || !strings.Contains(got.stderr, "stopped; unfinished jobs are back in the queue") {
			t.Fatalf("the worker ended with %d: %s%s", got.code, got.stdout, got.stderr)
		}
		return got.stderr
	}
	is := func(want string, args ...string) {
		if got := foretell(args...); got != want {
			t.Fatalf("%v: %q, want %q", args, got, want)
		}
	}
	// waitsForWorker checks that a command that waits, and a page, say that no worker is running.
	visitor := signInToPages(t, address)
	waitsForWorker := func(page string, args ...string) {
		t.Helper()
		got := runUntil(t, env, append(args, "--progress", "plain"), "waiting: no worker is running", syscall.SIGINT)
		if got.code != 130 {
			t.Errorf("%v: exit status %d: %s", args, got.code, got.stderr)
		}
		if text := readPage(t, visitor, address+page); !strings.Contains(text, "No worker is running.") {
			t.Errorf("%s: %s", page, text)
		}
	}

	key := foretell("datasets", "create", "credit", "../../testdata/credit-g/train.csv", "--no-wait", "-q")
	waitsForWorker("/datasets/"+key, "datasets", "wait", "credit")
	is("status\tPROCESSING", "datasets", "get", "credit", "--fields", "status")
	work(`msg="job ends"`, syscall.SIGTERM)
	is("status\tCOMPLETED", "datasets", "get", "credit", "--fields", "status")

	race := foretell("training", "create", "credit", "--algorithm", "BSIX01", "--no-wait", "-q")
	is("status\tPENDING\noutcome\tpending", "training", "get", race, "--fields", "status,outcome")
	is("", "prune", "--older-than", "0s", "--yes", "-q") // the race waits, so it and its dataset are kept
	if log := work(`msg="job begins"`, syscall.SIGINT); !strings.Contains(log, "job released") {
		t.Errorf("the race was not released: %s", log)
	}
	is("", "models", "list", "-q")
	waitsForWorker("/training/"+race, "training", "watch", race)
	work(`msg="job ends"`, syscall.SIGTERM)
	model := foretell("models", "list", "-q")
	if model == "" {
		t.Fatal("the race left no model")
	}
	prediction := foretell("predictions", "create", model, "../../testdata/credit-g/blind.csv", "--no-wait", "-q")
	waitsForWorker("/predictions/"+prediction, "predictions", "wait", prediction)
}
