package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// The errors that callers handle. Test with errors.Is.
var (
	ErrNotFound    = errors.New("no such row")
	ErrExists      = errors.New("the row already exists")
	ErrWrongState  = errors.New("the row is not in the required state")
	ErrLeaseLost   = errors.New("the job was leased by another process or deleted")
	ErrDiskFull    = errors.New("the disk of the database is full")
	ErrCorrupt     = errors.New("the database is damaged")
	ErrNewerSchema = errors.New("the database was written by a newer program")
)

// translateError wraps an error of the driver in the error above that describes
// it. It returns other errors unchanged.
func translateError(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case lib.SQLITE_CONSTRAINT_UNIQUE, lib.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", ErrExists, err)
	case lib.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	case lib.SQLITE_FULL, lib.SQLITE_IOERR_SHMSIZE: // the second if the log's index cannot grow
		return fmt.Errorf("%w: %w", ErrDiskFull, err)
	}
	return err
}

// translateContextError is translateError for a call with ctx. It also wraps the
// driver's "interrupted", which means that ctx has ended, in the error of ctx.
func translateContextError(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return translateError(err)
}
