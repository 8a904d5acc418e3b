package storedfile

import (
	"context"
	"errors"

	"foretell/internal/blob"
	"foretell/internal/store"
)

// Delete deletes blobs that no row references any more. It logs an error instead of returning it.
// The blobs are then orphans, which [Files.Sweep] deletes after [blob.OrphanGrace].
func (f *Files) Delete(ctx context.Context, keys ...string) {
	if err := f.blobs.Delete(context.WithoutCancel(ctx), keys...); err != nil {
		f.log.WarnContext(ctx, "cannot delete stored files; they become orphans", "error", err)
	}
}

// DeleteUncommitted deletes a new blob whose row was not stored, because the transaction failed
// with txErr. If txErr does not show whether the transaction was committed, it keeps the blob. If
// there is no row, [Files.Sweep] deletes the blob after [blob.OrphanGrace].
func (f *Files) DeleteUncommitted(ctx context.Context, txErr error, key string) {
	if !errors.Is(txErr, store.ErrCommitUnknown) {
		f.Delete(ctx, key)
	}
}

// Sweep removes unfinished files of dead processes, and moves orphans to another folder; see
// [blob.Store.Sweep]. It logs each of these files.
func (f *Files) Sweep(ctx context.Context) {
	now := f.now()
	if shared := f.store.ToSharedTime(now); shared.Before(now) {
		now = shared // the clock of this machine may be wrong, and a removed orphan is lost
	}
	swept, err := f.blobs.Sweep(ctx, now, f.store.IsProcessAlive, func(first, last string) (keys []string, err error) {
		err = f.store.Read(ctx, func(t *store.Tx) error {
			keys, err = t.ListBlobKeysBetween(ctx, first, last)
			return err
		})
		return keys, err
	})
	if err == nil {
		f.orphansAfterSweep.Store(&swept.Orphans)
	} else if ctx.Err() == nil {
		f.log.WarnContext(ctx, "cannot look for leftover and orphaned files", "error", err)
	}
	days := int(blob.OrphanGrace.Hours() / 24)
	for _, name := range swept.Orphaned {
		f.log.WarnContext(ctx, "a stored file is not referenced by the database and is kept as an orphan", "file", name, "keptDays", days)
	}
	for _, name := range swept.Restored {
		f.log.WarnContext(ctx, "an orphaned file is referenced by the database again", "file", name)
	}
	for _, name := range swept.Removed {
		f.log.InfoContext(ctx, "removed a leftover file", "file", name)
	}
	for _, name := range swept.Expired {
		f.log.WarnContext(ctx, "removed an orphaned file that the database did not reference for too long", "file", name, "keptDays", days)
	}
}

// Orphans lists all stored files and returns the number and size of the orphans.
func (f *Files) Orphans(ctx context.Context) (blob.Orphans, error) { return f.blobs.Orphans(ctx) }

// OrphansAfterSweep returns the number and size of the orphans after the last clean-up of this
// process. It returns nil before the first clean-up.
func (f *Files) OrphansAfterSweep() *blob.Orphans { return f.orphansAfterSweep.Load() }

// Observe makes Files call report at the end of each read, write and delete of a stored file. The
// function report must be safe for concurrent use.
func (f *Files) Observe(report func(blob.BackendCall)) { f.blobs.Observe(f.now, report) }
