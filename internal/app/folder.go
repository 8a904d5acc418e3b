package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"foretell/internal/blob"
	"foretell/internal/store"
)

// ErrMismatch is returned by [New] if the database does not belong to the stored
// files, because it is new or from another data folder, or because the files are
// missing. Test with errors.Is.
var ErrMismatch = errors.New("the database does not belong to the stored files")

// ErrFilesGone is the [ErrMismatch] of a database whose stored files are all
// missing, for example because their disk is not mounted. Test with errors.Is.
var ErrFilesGone = fmt.Errorf("%w: all files that it references are missing from blobs/", ErrMismatch)

// checkIdentity returns ErrMismatch unless the database and the stored files
// have the same identity. If one of them has no identity, because it is new or
// from a release without identities, it gets the identity of the other, unless
// the references in the database contradict the files. With accept, the files
// get the identity of the database in any case.
func (a *App) checkIdentity(ctx context.Context, accept bool) error {
	filesID, err := a.blobs.Identity()
	if err != nil {
		return err
	}
	var databaseID string
	var referenced []string
	err = a.store.Read(ctx, func(t *store.Tx) error {
		if databaseID, err = t.GetFolderID(ctx); err != nil || databaseID != "" && databaseID == filesID {
			return err // the common case
		}
		referenced, err = t.ListBlobKeys(ctx)
		return err
	})
	if err != nil || databaseID != "" && databaseID == filesID {
		return err
	}
	stored, err := a.blobs.Keys()
	if err != nil {
		return err
	}
	if !accept {
		if err := checkReferences(databaseID, filesID, referenced, stored); err != nil {
			return err
		}
	}
	if filesID == "" {
		if filesID, err = a.newKey(); err != nil {
			return err
		}
	}
	if databaseID, err = a.store.GetOrInsertFolderID(ctx, filesID); err != nil {
		return err
	}
	return a.blobs.SetIdentity(databaseID)
}

// checkReferences returns ErrMismatch if a database that references the blobs in
// referenced cannot belong to the blobs in stored. A missing identity is empty.
func checkReferences(databaseID, filesID string, referenced, stored []string) error {
	if len(stored) == 0 && len(referenced) == 0 {
		return nil
	}
	if databaseID != "" && filesID != "" {
		return fmt.Errorf("%w: it is from another data folder than the files in blobs/ (number of files: %d)", ErrMismatch, len(stored))
	}
	known := map[string]bool{}
	for _, key := range referenced {
		known[key] = true
	}
	if slices.ContainsFunc(stored, func(key string) bool { return known[key] }) {
		return nil
	}
	if len(stored) == 0 {
		return fmt.Errorf("%w (number of files: %d)", ErrFilesGone, len(referenced))
	}
	return fmt.Errorf("%w: it is new or empty, and references none of the files in blobs/ (number of files: %d)", ErrMismatch, len(stored))
}

// sweepBlobs removes and moves stored files, see [blob.Files.Sweep], and logs
// each of them.
func (a *App) sweepBlobs(ctx context.Context) {
	swept, err := a.blobs.Sweep(a.now(), a.store.IsAlive, func() (keys []string, err error) {
		err = a.store.Read(ctx, func(t *store.Tx) error {
			keys, err = t.ListBlobKeys(ctx)
			return err
		})
		return keys, err
	})
	if err != nil && ctx.Err() == nil {
		a.log.WarnContext(ctx, "sweeping leftover files", "error", err)
	}
	days := int(blob.OrphanGrace.Hours() / 24)
	for _, name := range swept.Orphaned {
		a.log.WarnContext(ctx, "the database does not reference a stored file: moved to blobs/orphans", "file", name, "keptDays", days)
	}
	for _, name := range swept.Restored {
		a.log.WarnContext(ctx, "the database references a stored file again: moved back from blobs/orphans", "file", name)
	}
	for _, name := range swept.Removed {
		a.log.InfoContext(ctx, "removed a leftover file", "file", name)
	}
}
