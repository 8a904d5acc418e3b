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
// another S3 store than the configured one. It wraps ErrMismatch. Its message must be followed by
// the location of the files. Test with errors.Is.
var ErrOtherStorage = fmt.Errorf("%w: the database's files are", ErrMismatch)

// MatchIdentity returns an error if the database and the stored files do not belong together.
// Otherwise it makes their identities equal. An identity is a random text that both store.
//
// If the identities are equal, the database and the files belong together; for an exception, see
// checkNotAllFilesMissing. If the identities differ, or one is missing because the database or the
// files are new or from an early release, checkFilesBelongToDatabase decides. If acceptMismatch is
// true, neither function is called.
func (f *Files) MatchIdentity(ctx context.Context, acceptMismatch bool) error {
	var databaseID string
	err := f.store.Read(ctx, func(t *store.Tx) (err error) {
		databaseID, err = t.GetFolderID(ctx)
		return err
	})
	if err != nil {
		return err
	}
	filesID, err := f.blobs.Identity(ctx)
	if err != nil {
		return err
	}
	if databaseID != "" && databaseID == filesID {
		if acceptMismatch || !f.store.IsOnServer() || f.blobs.IsBucket() {
			return nil
		}
		return f.checkNotAllFilesMissing(ctx)
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
		if err := checkFilesBelongToDatabase(databaseID, filesID, referenced, stored, f.blobs.Location()); err != nil {
			return err
		}
	}
	// Several processes may start together on a new database and new files. Therefore each process
	// reads and sets first the identity of the database, and then the identity of the files.
	return f.setIdentity(ctx, databaseID, filesID)
}

// checkNotAllFilesMissing returns ErrFilesGone if the database references files, but none is
// stored. It is called if the database is on a server and the files are in a folder. Two folders
// may then have the identity of the database, because a command without --storage writes it to
// blobs/ in the data folder, even if the service uses another folder.
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

// setIdentity makes the identities of the database and the stored files equal. If the database has
// an identity, the files get the identity of the database; otherwise the database gets the identity
// of the files. Both get a new identity if neither has an identity, or if the database is moved to
// a new S3 store. The identity of an S3 store begins with the location of the store.
func (f *Files) setIdentity(ctx context.Context, databaseID, filesID string) error {
	var err error
	switch {
	case filesID != "" && databaseID == "":
		databaseID, err = f.store.CompareAndSwapFolderID(ctx, databaseID, filesID)
	case databaseID == "" || filesID == "" && f.blobs.IsBucket() && bucketFromIdentity(databaseID) != f.blobs.Location():
		id, keyErr := auth.NewUUID(f.rand)
		if keyErr != nil {
			return keyErr
		}
		if f.blobs.IsBucket() {
			id = f.blobs.Location() + identitySeparator + id
		}
		databaseID, err = f.store.CompareAndSwapFolderID(ctx, databaseID, id)
	}
	if err != nil {
		return err
	}
	return f.blobs.SetIdentity(ctx, databaseID)
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
//   - The identity of the database is for another bucket, and the blobs have no identity: ErrOtherStorage.
//   - There are neither blobs nor references to blobs: nil.
//   - Both identities exist: ErrMismatch.
//   - The database references a blob that exists: nil.
//   - There are no blobs: ErrFilesGone.
//   - Otherwise: ErrMismatch.
//
// referenced holds the keys of the blobs that the database references, and stored holds the keys of
// the blobs that exist. An identity is "" if it is missing. location is the folder or bucket of the
// blobs, for messages.
func checkFilesBelongToDatabase(databaseID, filesID string, referenced, stored []string, location string) error {
	if bucket := bucketFromIdentity(databaseID); bucket != "" && bucket != location && filesID == "" {
		return fmt.Errorf("%w in %s, not in %s", ErrOtherStorage, bucket, location)
	}
	if len(stored) == 0 && len(referenced) == 0 {
		return nil
	}
	if databaseID != "" && filesID != "" {
		return fmt.Errorf("%w: the location %s has the files (%s) of a different database", ErrMismatch, location, humanize.Count(len(stored), "file"))
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
	return fmt.Errorf("%w: the database is new or empty, and references none of the files in %s (%s)", ErrMismatch, location, humanize.Count(len(stored), "file"))
}
