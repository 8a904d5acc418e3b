package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"foretell/internal/blob"
	"foretell/internal/humanize"
	"foretell/internal/store"
)

// ErrMismatch is returned by [New] if the database does not belong to the stored files: the
// database is new or from another data folder, or the files are missing. Test with errors.Is.
var ErrMismatch = errors.New("the database does not belong to the stored files")

// ErrFilesGone is returned instead of a plain [ErrMismatch] if the stored files are all
// missing, for example because their disk is not mounted. It wraps ErrMismatch. Test
// with errors.Is.
var ErrFilesGone = fmt.Errorf("%w: all files that the database references are missing", ErrMismatch)

// ErrOtherStorage is returned instead of a plain [ErrMismatch] if the files of the
// database are in an S3 store other than the configured storage. It wraps ErrMismatch, and
// the wrapping error appends the location of the files. Test with errors.Is.
var ErrOtherStorage = fmt.Errorf("%w: the database's files are", ErrMismatch)

// checkAndMatchIdentities returns an error if the database and the stored files do not
// belong together. Each has an identity. If the identities are equal, the database and the
// files belong together; see checkNotAllFilesMissing for an exception. They may differ, or one may be missing because the
// database or the files are new or from an early release. Then checkAndMatchIdentities
// returns the error of checkFilesBelongToDatabase. If checkFilesBelongToDatabase returns nil, or if
// acceptMismatch is true, checkAndMatchIdentities makes the identities equal.
//
// Several processes may start together on a new database and new files. Therefore each process
// reads and sets the identity of the database first, and then the identity of the files.
func (a *App) checkAndMatchIdentities(ctx context.Context, acceptMismatch bool) error {
	var databaseID string
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		databaseID, err = t.GetFolderID(ctx)
		return err
	})
	if err != nil {
		return err
	}
	filesID, err := a.blobs.Identity(ctx)
	if err != nil {
		return err
	}
	if databaseID != "" && databaseID == filesID {
		if acceptMismatch || !a.store.IsOnServer() || a.blobs.IsBucket() {
			return nil
		}
		return a.checkNotAllFilesMissing(ctx)
	}
	var referenced []string
	err = a.store.Read(ctx, func(t *store.Tx) error {
		referenced, err = t.ListBlobKeys(ctx)
		return err
	})
	if err != nil {
		return err
	}
	stored, err := a.blobs.Keys(ctx)
	if err != nil {
		return err
	}
	if !acceptMismatch {
		if err := checkFilesBelongToDatabase(databaseID, filesID, referenced, stored, a.blobs.Location()); err != nil {
			return err
		}
	}
	return a.setIdentity(ctx, databaseID, filesID)
}

// checkNotAllFilesMissing returns ErrFilesGone if the database references files, but none is
// stored. It is called if the identities are equal, the database is on a server and the files are
// in a folder. Two folders may then have the identity of the database: a command without --storage
// writes it to blobs/ in the data folder, and a service with --storage later to another folder.
func (a *App) checkNotAllFilesMissing(ctx context.Context) error {
	var key string
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		key, err = t.GetAnyBlobKey(ctx)
		return err
	})
	if err != nil || key == "" {
		return err
	}
	if file, err := a.blobs.Open(ctx, key); err == nil { // the common case, without a list of all files
		return file.Close()
	}
	stored, err := a.blobs.Keys(ctx)
	if err == nil && len(stored) == 0 {
		return fmt.Errorf("%w from %s", ErrFilesGone, a.blobs.Location())
	}
	return err
}

// setIdentity makes the identities of the database and the stored files equal. The files get the
// identity of the database, if it has one. Otherwise the database gets the identity of the files.
// Both get a new identity if neither has one, or if a database is moved to a new S3 store. The
// identity of an S3 store begins with the location of the store.
func (a *App) setIdentity(ctx context.Context, databaseID, filesID string) error {
	var err error
	switch {
	case filesID != "" && databaseID == "":
		databaseID, err = a.store.CompareAndSwapFolderID(ctx, databaseID, filesID)
	case databaseID == "" || filesID == "" && a.blobs.IsBucket() && bucketFromIdentity(databaseID) != a.blobs.Location():
		id, keyErr := a.newUUID()
		if keyErr != nil {
			return keyErr
		}
		if a.blobs.IsBucket() {
			id = a.blobs.Location() + identitySeparator + id
		}
		databaseID, err = a.store.CompareAndSwapFolderID(ctx, databaseID, id)
	}
	if err != nil {
		return err
	}
	return a.blobs.SetIdentity(ctx, databaseID)
}

// identitySeparator ends the location in the identity of an S3 store.
const identitySeparator = "#"

// bucketFromIdentity returns the location of the S3 store with this identity. It returns "" for
// the identity of a folder.
func bucketFromIdentity(id string) (bucketLocation string) {
	location, _, isBucket := strings.Cut(id, identitySeparator)
	if !isBucket {
		return ""
	}
	return location
}

// checkFilesBelongToDatabase returns an error if a database and the stored blobs do not belong
// together. It is called if their identities differ or one is missing. The first of these
// conditions that is true determines the result:
//
//   - The identity of the database is for another bucket, and the blobs have none: ErrOtherStorage.
//   - There are neither blobs nor references to blobs: nil.
//   - Both identities exist: ErrMismatch.
//   - The database references a blob that exists: nil.
//   - There are no blobs: ErrFilesGone.
//   - Otherwise: ErrMismatch.
//
// referenced and stored are keys: of the blobs that the database references, and of the
// blobs that exist. An identity is "" if it is missing. location is the folder or bucket
// of the blobs, for messages.
func checkFilesBelongToDatabase(databaseID, filesID string, referenced, stored []string, location string) error {
	if bucket := bucketFromIdentity(databaseID); bucket != "" && bucket != location && filesID == "" {
		return fmt.Errorf("%w in %s, not in %s", ErrOtherStorage, bucket, location)
	}
	if len(stored) == 0 && len(referenced) == 0 {
		return nil
	}
	if databaseID != "" && filesID != "" {
		return fmt.Errorf("%w: the database belongs to another data folder than the files in %s, which has %s", ErrMismatch, location, humanize.Count(len(stored), "file"))
	}
	known := map[string]bool{}
	for _, key := range referenced {
		known[key] = true
	}
	if slices.ContainsFunc(stored, func(key string) bool { return known[key] }) {
		return nil
	}
	if len(stored) == 0 {
		return fmt.Errorf("%w from %s: %s", ErrFilesGone, location, humanize.Count(len(referenced), "file"))
	}
	return fmt.Errorf("%w: the database is new or empty, and references no file in %s, which has %s", ErrMismatch, location, humanize.Count(len(stored), "file"))
}

// sweepBlobs removes unfinished files of dead processes, and moves orphans to another folder; see
// [blob.Store.Sweep]. It logs each of these files.
func (a *App) sweepBlobs(ctx context.Context) {
	swept, err := a.blobs.Sweep(ctx, a.now(), a.store.IsProcessAlive, func(first, last string) (keys []string, err error) {
		err = a.store.Read(ctx, func(t *store.Tx) error {
			keys, err = t.ListBlobKeysBetween(ctx, first, last)
			return err
		})
		return keys, err
	})
	if err == nil {
		a.sweptOrphans.Store(&swept.Orphans)
	} else if ctx.Err() == nil {
		a.log.WarnContext(ctx, "cannot look for leftover and orphaned files", "error", err)
	}
	days := int(blob.OrphanGrace.Hours() / 24)
	for _, name := range swept.Orphaned {
		a.log.WarnContext(ctx, "a stored file is not referenced by the database and is kept as an orphan", "file", name, "keptDays", days)
	}
	for _, name := range swept.Restored {
		a.log.WarnContext(ctx, "an orphaned file is referenced by the database again", "file", name)
	}
	for _, name := range swept.Removed {
		a.log.InfoContext(ctx, "removed a leftover file", "file", name)
	}
}
