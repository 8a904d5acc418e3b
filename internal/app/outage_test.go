package app_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"foretell/internal/app"
	"foretell/internal/store"
)

// TestDatabaseTimeout checks that only the time limit of an operation makes its error an outage.
func TestDatabaseTimeout(t *testing.T) {
	t.Parallel()
	slow := fmt.Errorf("count: %w", context.DeadlineExceeded)
	if err := app.MarkTimeoutAsOutage(slow); !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, slow) {
		t.Errorf("a time limit: %v", err)
	}
	for _, other := range []error{nil, context.Canceled, store.ErrNotFound} {
		if err := app.MarkTimeoutAsOutage(other); err != other { //nolint:errorlint // it must be unchanged
			t.Errorf("%v: %v", other, err)
		}
	}
}
