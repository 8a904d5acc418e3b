package app

import (
	"errors"
	"fmt"
	"testing"

	"foretell/internal/blob"
	"foretell/internal/job"
)

func TestReasonOf(t *testing.T) {
	for _, c := range []struct {
		cause error
		want  string
	}{
		{fmt.Errorf("write: %w", blob.ErrFull), "the service's disk is full; nothing was kept: try again when its operator has made room"},
		{job.ErrAttempts, "5 attempts ended with the death of their process, for want of memory perhaps: try again, on a larger machine or with a smaller file"},
		{errors.New("index out of range"), "an internal error: the service's log tells more under this key"},
	} {
		if got := reasonOf(c.cause); got != c.want {
			t.Errorf("%v gives %q", c.cause, got)
		}
	}
}
