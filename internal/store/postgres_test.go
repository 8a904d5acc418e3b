package store

import (
	"testing"

	"foretell/internal/testenv"
)

// TestPostgres runs the conformance suite in schemas of its own.
func TestPostgres(t *testing.T) {
	testenv.Postgres(t) // skips the whole test if there is no PostgreSQL
	exercise(t, func(t *testing.T) func(t *testing.T) *Store {
		t.Helper()
		address := testenv.Postgres(t)
		return func(t *testing.T) *Store {
			t.Helper()
			return openStore(t, address)
		}
	})
}
