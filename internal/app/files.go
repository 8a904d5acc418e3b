package app

import (
	"context"

	"foretell/internal/blob"
	"foretell/internal/storedfile"
)

// CheckFiles verifies the size of every stored file and, if withChecksums is true, its checksum. A
// damaged file is not an error: it is listed in the result.
func (a *App) CheckFiles(ctx context.Context, withChecksums bool) (*storedfile.CheckResult, error) {
	return a.files.Check(ctx, withChecksums)
}

// Usage returns the total size of the stored files of all accounts.
func (a *App) Usage(ctx context.Context) (*storedfile.Usage, error) { return a.files.Usage(ctx) }

// Orphans lists all stored files and returns the number and size of the orphans.
func (a *App) Orphans(ctx context.Context) (blob.Orphans, error) { return a.files.Orphans(ctx) }

// SweptOrphans returns the number and size of the orphans after the last clean-up of this
// process. It returns nil before the first clean-up.
func (a *App) SweptOrphans() *blob.Orphans { return a.files.SweptOrphans() }

// ObserveFiles makes the App call report at the end of each read, write and delete of a stored
// file. The function report must be safe for concurrent use. On a zero App, ObserveFiles does
// nothing.
func (a *App) ObserveFiles(report func(blob.BackendCall)) {
	if a.files != nil {
		a.files.Observe(report)
	}
}

// MalwareScans returns the numbers of scans of this process by result; see [clamav.Client.Counts].
// It returns nil if no file is scanned.
func (a *App) MalwareScans() map[string]int64 { return a.files.MalwareScans() }
