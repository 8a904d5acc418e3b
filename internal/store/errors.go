package store

import (
	"errors"

	"foretell/internal/store/database"
	"foretell/internal/store/schema"
)

// The errors that callers handle. Test with errors.Is.
var (
	ErrNotFound   = database.ErrNotFound
	ErrExists     = database.ErrExists
	ErrWrongState = errors.New("the row is not in the required state")
	ErrLeaseLost  = errors.New("the job was leased by another process or deleted, or its account was disabled")
	// ErrUnknownColumn is returned by InsertRows.
	ErrUnknownColumn = errors.New("the rows do not fit the schema of the database")

	ErrDiskFull      = database.ErrDiskFull
	ErrCorrupt       = database.ErrCorrupt
	ErrUnavailable   = database.ErrUnavailable
	ErrCommitUnknown = database.ErrCommitUnknown

	// ErrConnectionRejected is returned by Open.
	ErrConnectionRejected = database.ErrConnectionRejected
	ErrReadOnly           = database.ErrReadOnly
	ErrForbidden          = database.ErrForbidden
	ErrNewerSchema        = schema.ErrNewer
	// ErrOldSchema and ErrNoSchema are returned by OpenUnchanged.
	ErrOldSchema = schema.ErrOld
	ErrNoSchema  = schema.ErrMissing
)

// UnsupportedVersionError is returned by [OpenVersion].
type UnsupportedVersionError = schema.UnsupportedVersionError
