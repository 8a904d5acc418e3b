package cmd

import (
	"context"
	"errors"
	"testing"

	"foretell/internal/client"
)

func TestLeftWaitNamesTheNextCommand(t *testing.T) {
	timedOut, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		err  error
		exit Exit
		hint string
	}{
		{"timeout", timedOut, timedOut.Err(), ExitStillRunning, "continue with `foretell again`"},
		{"connection_lost", t.Context(), &client.NetworkError{}, ExitUnavailable, "when it responds again, continue with `foretell again`"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &session{}
			var e *cliError
			if err := c.waitError(test.ctx, test.err, "training", "1", "foretell again"); !errors.As(err, &e) {
				t.Fatal(err)
			}
			if e.exit != test.exit || e.hint != test.hint {
				t.Errorf("exit %d, hint %q", e.exit, e.hint)
			}
		})
	}
}

func TestResultCanBeFetchedLater(t *testing.T) {
	to := &outputFile{path: "my out.csv"}
	got := to.resumeCommand("KEY", normalizedInput("blind.csv", "blind.csv", true)) + "\n" + to.resumeCommand("KEY", &input{temps: []string{"/tmp/x"}})
	want := "foretell predictions download KEY --blind blind.csv -o 'my out.csv'\nforetell predictions download KEY -o 'my out.csv'"
	if got != want {
		t.Errorf("%s", got)
	}
}
