package problem

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/job"
	"foretell/internal/store"
)

// TestOutageProblems checks that only a request that stored nothing is answered with 503, because
// programs repeat such a request.
func TestOutageProblems(t *testing.T) {
	t.Parallel()
	c := New(Config{Log: slog.New(slog.DiscardHandler)})
	for cause, want := range map[error]api.Code{store.ErrUnavailable: api.CodeNotReady, store.ErrCommitUnknown: api.CodeInternal} {
		var p *api.Problem
		if err := c.Convert(fmt.Errorf("%w: EOF", cause)); !errors.As(err, &p) || p.Code != want || p.RetryAfter == 0 {
			t.Errorf("%v returns %+v", cause, p)
		}
	}
}

func TestFailureReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause error
		want  string
	}{
		{fmt.Errorf("write: %w", blob.ErrDiskFull), "the service's disk is full, so nothing was stored: try again when its operator has freed space"},
		{job.ErrTooManyAttempts, "the process died in each of 5 attempts, perhaps for lack of memory: try again, on a larger machine or with a smaller file"},
		{errors.New("index out of range"), api.InternalFailure},
	} {
		converter := New(Config{Log: slog.New(slog.DiscardHandler), Folder: t.TempDir()})
		if got := converter.FailureReason(c.cause); got != c.want {
			t.Errorf("%v returns %q", c.cause, got)
		}
	}
}
