package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"foretell/internal/blob"
	"foretell/internal/store"
)

// ErrMismatch is returned by [New] if the database does not belong to the stored
// files, because it is new or from another data folder, or because the files are
// missing. Test with errors.Is.
var ErrMismatch = errors.New("the database does not belong to the stored files")

// ErrFilesGone is the [ErrMismatch] of a database whose stored files are all
// missing, for example because their disk is not mounted. Test with errors.Is.
var ErrFilesGone = fmt.Errorf("%w: all files that it references are missing", ErrMismatch)

// ErrOtherStorage is the [ErrMismatch] of a database whose files are in an S3 store
// that is not in use. Test with errors.Is.
var ErrOtherStorage = fmt.Errorf("%w: its files are", ErrMismatch)

// checkIdentity returns ErrMismatch unless the database and the stored files
// have the same identity. If one of them has no identity, because it is new or
// from a release without identities, it gets the identity of the other, unless
// the references in the database contradict the files. With accept, the files
// get the identity of the database in any case.
func (a *App) checkIdentity(ctx context.Context, accept bool) error {
	filesID, err := a.blobs.Identity(ctx)
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
	stored, err := a.blobs.Keys(ctx)
	if err != nil {
		return err
	}
	if !accept {
		if err := checkReferences(databaseID, filesID, referenced, stored, a.blobs.Location()); err != nil {
			return err
		}
	}
	return a.setIdentity(ctx, databaseID, filesID)
}

// setIdentity makes the database and the stored files have the same identity: that of the
// database or, if it has none, of the files. The identity of an S3 store begins with its
// location, and a database that is used with a new one gets it.
func (a *App) setIdentity(ctx context.Context, databaseID, filesID string) error {
	var err error
	switch {
	case filesID != "" && databaseID == "":
		databaseID, err = a.store.ReplaceFolderID(ctx, databaseID, filesID)
	case databaseID == "" || filesID == "" && a.blobs.IsBucket():
		id, keyErr := a.newKey()
		if keyErr != nil {
			return keyErr
		}
		if a.blobs.IsBucket() {
			id = a.blobs.Location() + identitySeparator + id
		}
		databaseID, err = a.store.ReplaceFolderID(ctx, databaseID, id)
	}
	if err != nil {
		return err
	}
	return a.blobs.SetIdentity(ctx, databaseID)
}

// identitySeparator ends the location in the identity of an S3 store.
const identitySeparator = "#"

// checkReferences returns ErrMismatch if a database that references the blobs in
// referenced cannot belong to the blobs in stored, which are at location. A missing
// identity is empty.
func checkReferences(databaseID, filesID string, referenced, stored []string, location string) error {
	if bucket, _, isBucket := strings.Cut(databaseID, identitySeparator); isBucket && filesID == "" {
		return fmt.Errorf("%w in %s, but not in %s", ErrOtherStorage, bucket, location)
	}
	if len(stored) == 0 && len(referenced) == 0 {
		return nil
	}
	if databaseID != "" && filesID != "" {
		return fmt.Errorf("%w: it is from another data folder than the files in %s (number of files: %d)", ErrMismatch, location, len(stored))
	}
	known := map[string]bool{}
	for _, key := range referenced {
		known[key] = true
	}
	if slices.ContainsFunc(stored, func(key string) bool { return known[key] }) {
		return nil
	}
	if len(stored) == 0 {
		return fmt.Errorf("%w from %s (number of files: %d)", ErrFilesGone, location, len(referenced))
	}
	return fmt.Errorf("%w: it is new or empty, and references none of the files in %s (number of files: %d)", ErrMismatch, location, len(stored))
}

// sweepBlobs removes and moves stored files, see [blob.Store.Sweep], and logs
// each of them.
func (a *App) sweepBlobs(ctx context.Context) {
	swept, err := a.blobs.Sweep(ctx, a.now(), a.store.IsAlive, func() (keys []string, err error) {
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
		a.log.WarnContext(ctx, "the database does not reference a stored file: it is an orphan", "file", name, "keptDays", days)
	}
	for _, name := range swept.Restored {
		a.log.WarnContext(ctx, "the database references a stored file again: it is no orphan any more", "file", name)
	}
	for _, name := range swept.Removed {
		a.log.InfoContext(ctx, "removed a leftover file", "file", name)
	}
}
