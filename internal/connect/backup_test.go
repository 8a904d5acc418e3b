package connect

import (
	"errors"
	"fmt"
	"testing"

	"foretell/internal/blob"
	"foretell/internal/exit"
	"foretell/internal/store"
)

// TestOutageDuringBackup checks the exit status if the database or the storage becomes unavailable while a
// backup is written or restored.
func TestOutageDuringBackup(t *testing.T) {
	t.Parallel()
	at := serviceLocation{dir: "data", database: "postgres://foretell@db.example.org/foretell"}
	for _, cause := range []error{store.ErrUnavailable, blob.ErrUnavailable} {
		var e *exit.Error
		if err := backupError(at, fmt.Errorf("table model: %w", cause)); !errors.As(err, &e) || e.Status != exit.Unavailable || e.Hint == "" {
			t.Errorf("%v: %#v", cause, err)
		}
	}
}
