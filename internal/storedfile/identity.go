package storedfile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"foretell/internal/auth"
	"foretell/internal/humanize"
	"foretell/internal/store"
)

// ErrMismatch is returned by [Files.MatchIdentity] if the database does not belong to the stored
// files. For example, the database is new or from another data folder. Test with errors.Is.
var ErrMismatch = errors.New("the database does not belong to the stored files")

// ErrFilesGone is returned instead of a plain [ErrMismatch] if the stored files are all
// missing, for example because their disk is not mounted. It wraps ErrMismatch. Test
// with errors.Is.
var ErrFilesGone = fmt.Errorf("%w: all files that the database references are missing", ErrMismatch)

// ErrOtherStorage is returned instead of a plain [ErrMismatch] if the files of the database are in
// another storage than the configured one. It wraps ErrMismatch. Its message must be followed by
// the location of the files. Test with errors.Is.
var ErrOtherStorage = fmt.Errorf("%w: the database's files are", ErrMismatch)

// MatchIdentity returns an error if the database and the stored files do not belong together.
// Otherwise it makes their identities equal. An identity is a random text that both store.
//
// If the identities are equal, the database and the files belong together; for an exception, see
// matchEqual. If the identities differ, or one is missing because the database or the files are new
// or from an early release, checkFilesBelongToDatabase decides. If acceptMismatch is true, the files
// are not checked, and the identities are made equal.
func (f *Files) MatchIdentity(ctx context.Context, acceptMismatch bool) error {
	// Another process that starts at the same time sets the identity of the database first, and
	// then that of the files. The identities are read in the opposite order, so that the identity
	// of the database is never the older one.
	filesID, err := f.blobs.Identity(ctx)
	if err != nil {
		return err
	}
	var databaseID string
	err = f.store.Read(ctx, func(t *store.Tx) error {
		databaseID, err = t.GetFolderID(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if databaseID != "" && databaseID == filesID {
		return f.matchEqual(ctx, databaseID, acceptMismatch)
	}
	var referenced []string
	err = f.store.Read(ctx, func(t *store.Tx) error {
		referenced, err = t.ListBlobKeys(ctx)
		return err
	})
	if err != nil {
		return err
	}
	stored, err := f.blobs.Keys(ctx)
	if err != nil {
		return err
	}
	if !acceptMismatch {
		if err := checkFilesBelongToDatabase(databaseID, filesID, referenced, stored, f.blobs.FixedLocation(), f.blobs.Location()); err != nil {
			return err
		}
	}
	return f.setIdentity(ctx, databaseID, filesID)
}

// matchEqual is [Files.MatchIdentity] if both have the identity id. If id has no location, another
// folder may have it, too: a command without --storage writes it to blobs/ in the data folder, even
// if the service uses another folder. Therefore matchEqual then checks that not all files are
// missing, and adds the location to both identities if --storage names a folder. For blobs/ and an
// SQLite database, it does nothing, because the service must start even after the loss of all
// files, once an operator has accepted the loss.
func (f *Files) matchEqual(ctx context.Context, id string, acceptMismatch bool) error {
	fixed := f.blobs.FixedLocation()
	if locationFromIdentity(id) != "" || fixed == "" && !f.store.IsOnServer() {
		return nil
	}
	if !acceptMismatch {
		if err := f.checkNotAllFilesMissing(ctx); err != nil {
			return err
		}
	}
	if fixed == "" {
		return nil
	}
	return f.setIdentity(ctx, id, id)
}

// checkNotAllFilesMissing returns ErrFilesGone if the database references files, but none is
// stored.
func (f *Files) checkNotAllFilesMissing(ctx context.Context) error {
	var key string
	err := f.store.Read(ctx, func(t *store.Tx) (err error) {
		key, err = t.GetAnyBlobKey(ctx)
		return err
	})
	if err != nil || key == "" {
		return err
	}
	if file, err := f.blobs.Open(ctx, key); err == nil { // the common case, without a list of all files
		return file.Close()
	}
	stored, err := f.blobs.Keys(ctx)
	if err == nil && len(stored) == 0 {
		return fmt.Errorf("%w from %s", ErrFilesGone, f.blobs.Location())
	}
	return err
}

// Probe returns an error if the identity of the stored files cannot be read, or is missing although
// MatchIdentity has stored it.
func (f *Files) Probe(ctx context.Context) error {
	id, err := f.blobs.Identity(ctx)
	if err == nil && id == "" {
		return fmt.Errorf("%s has no file folder.id", f.blobs.Location())
	}
	return err
}

// setIdentity makes the identities of the database and the stored files equal. If only one of them
// has an identity, the other gets the same. If both have one, the files get that of the database.
// If neither has one, or if the database is moved to another storage, both get a new identity. The
// earlier storage then keeps its identity, so that it no longer matches. The new identity of a
// storage that --storage names begins with the location of the storage. Therefore of several
// processes that start together, only the first sets a new identity.
func (f *Files) setIdentity(ctx context.Context, databaseID, filesID string) error {
	var err error
	fixed := f.blobs.FixedLocation()
	switch {
	case filesID != "" && databaseID == "":
		databaseID, err = f.store.CompareAndSwapFolderID(ctx, databaseID, filesID)
	case databaseID == "" || locationFromIdentity(databaseID) != fixed:
		id, keyErr := auth.NewUUID(f.rand)
		if keyErr != nil {
			return keyErr
		}
		if fixed != "" {
			id = fixed + identitySeparator + id
		}
		databaseID, err = f.store.CompareAndSwapFolderID(ctx, databaseID, id)
	}
	if err != nil {
		return err
	}
	return f.blobs.SetIdentity(ctx, databaseID)
}

// identitySeparator ends the location in the identity of a storage.
const identitySeparator = "#"

// locationFromIdentity returns the location that the storage with this identity had when --storage
// first named it. It returns "" for the identity of blobs/ in a data folder, or of a folder that
// only earlier versions have used.
func locationFromIdentity(id string) string {
	return id[:max(0, strings.LastIndex(id, identitySeparator))]
}

// checkFilesBelongToDatabase returns an error if a database and the stored blobs do not belong
// together. It is called if their identities differ or one is missing. The first of these
// conditions that is true determines the result:
//
//   - The blobs have no identity, and the database references a blob that exists: nil.
//   - The identity of the database is for another storage: ErrOtherStorage.
//   - There are neither blobs nor references to blobs: nil.
//   - Both identities exist (unless only the database's has a location): ErrMismatch.
//   - The database references a blob that exists: nil.
//   - There are no blobs: ErrFilesGone.
//   - Otherwise: ErrMismatch.
//
// The first condition allows users to move the files: they copy all but the identity. The exception
// of the fourth condition is for a process that replaces identities without a location: it changes
// the identity of the database before that of the files, and another process may start in between.
//
// referenced holds the keys of the blobs that the database references, and stored holds the keys of
// the blobs that exist. An identity is "" if it is missing. fixed is the FixedLocation of the blobs,
// and location is their folder or bucket, for messages.
func checkFilesBelongToDatabase(databaseID, filesID string, referenced, stored []string, fixed, location string) error {
	known := map[string]bool{}
	for _, key := range referenced {
		known[key] = true
	}
	common := slices.ContainsFunc(stored, func(key string) bool { return known[key] })
	if filesID == "" && common {
		return nil
	}
	used := locationFromIdentity(databaseID)
	if used != "" && used != fixed {
		return fmt.Errorf("%w in %s, not in %s", ErrOtherStorage, used, location)
	}
	if len(stored) == 0 && len(referenced) == 0 {
		return nil
	}
	addsLocation := used != "" && locationFromIdentity(filesID) == ""
	if databaseID != "" && filesID != "" && !addsLocation {
		return fmt.Errorf("%w: the location %s belongs to a different database (%s)", ErrMismatch, location, humanize.Count(len(stored), "file"))
	}
	if common {
		return nil
	}
	if len(stored) == 0 {
		return fmt.Errorf("%w from %s: %s", ErrFilesGone, location, humanize.Count(len(referenced), "file"))
	}
	return fmt.Errorf("%w: the database is new or empty, and references none of the files in %s (%s)", ErrMismatch, location, humanize.Count(len(stored), "file"))
}
