package connect

import (
	"context"
	"errors"
	"testing"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/exit"
)

func TestLeftWaitNamesTheNextCommand(t *testing.T) {
	timedOut, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	limited := api.NewProblem(api.CodeTooMany, "slow down")
	limited.RetryAfter = 120
	for _, test := range []struct {
		name string
		ctx  context.Context
		err  error
		exit exit.Status
		hint string
	}{
		{"timeout", timedOut, timedOut.Err(), exit.StillRunning, "continue with `foretell again`"},
		{"connection_lost", t.Context(), &client.NetworkError{}, exit.Unavailable, "when the service responds again, continue with `foretell again`"},
		{"rate_limit", t.Context(), limited, exit.Unavailable, "continue with `foretell again` in 2 min 0 s"},
		{"failure", t.Context(), &api.Problem{Status: 500}, exit.Unexpected, "continue with `foretell again`; if the error persists, report the output of --debug to the service's operator"},
		{"outage", t.Context(), api.NewProblem(api.CodeNotReady, "no database"), exit.Unavailable, "when the service responds again, continue with `foretell again`"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &Session{}
			var e *exit.Error
			if err := c.WaitError(test.ctx, test.err, "training", "1", "foretell again"); !errors.As(err, &e) {
				t.Fatal(err)
			}
			if e.Status != test.exit || e.Hint != test.hint {
				t.Errorf("exit %d, hint %q", e.Status, e.Hint)
			}
		})
	}
}
