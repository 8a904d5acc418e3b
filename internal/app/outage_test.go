package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/store"
	"foretell/internal/testenv"
)

// TestSendsMailDuringOutage checks that the page for a forgotten password gets the problem of an outage,
// and not an internal error.
func TestSendsMailDuringOutage(t *testing.T) {
	t.Parallel()
	relay, location := testenv.StartRelay(t, testenv.Postgres(t))
	a, closeAll, err := openIn(t.Context(), t.TempDir(), appOptions{log: io.Discard, now: time.Now, database: location})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	relay.SetMode(testenv.Refusing)
	_, err = a.SendsMail(t.Context())
	wantCode(t, err, api.CodeNotReady)
}

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
