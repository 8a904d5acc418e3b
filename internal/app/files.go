package app

import (
	"context"
	"errors"

	"foretell/internal/blob"
	"foretell/internal/storedfile"
)

// CheckFiles verifies the size of every stored file and, if withChecksums is true, its checksum. A
// damaged file is not an error: it is listed in the result.
func (a *App) CheckFiles(ctx context.Context, withChecksums bool) (*storedfile.CheckResult, error) {
	result, err := a.files.Check(ctx, withChecksums)
	if errors.Is(err, blob.ErrUnavailable) { // the caller is the operator, who needs the cause
		return nil, err
	}
	return result, a.problems.Convert(err)
}

// Usage returns the total size of the stored files of all accounts.
func (a *App) Usage(ctx context.Context) (*storedfile.Usage, error) {
	usage, err := a.files.Usage(ctx)
	return usage, a.problems.Convert(err)
}

// Orphans lists all stored files and returns the number and size of the orphans, which are files
// that the database does not reference.
func (a *App) Orphans(ctx context.Context) (blob.Orphans, error) { return a.files.Orphans(ctx) }

// OrphansAfterSweep returns the number and size of the orphans after the last clean-up of this
// process. It returns nil before the first clean-up.
func (a *App) OrphansAfterSweep() *blob.Orphans { return a.files.OrphansAfterSweep() }

// ObserveFiles makes the App call the function report at the end of each read, write and delete of
// a stored file. report must be safe for concurrent use.
func (a *App) ObserveFiles(report func(blob.BackendCall)) { a.files.Observe(report) }

// MalwareScans returns the numbers of scans for malware by this process so far, by result. It
// returns nil if no file is scanned.
func (a *App) MalwareScans() map[string]int64 { return a.files.MalwareScans() }
