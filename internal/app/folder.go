package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"foretell/internal/blob"
	"foretell/internal/store"
)

// ErrMismatch is what [New] fails with if the database is not that of the
// stored files: it is new, of another folder, or the files are not there. Test
// with errors.Is.
var ErrMismatch = errors.New("the database does not belong to the stored files")

// ErrFilesGone is the [ErrMismatch] of a database whose stored files are all
// gone, as when their disk is not mounted. Test with errors.Is.
var ErrFilesGone = fmt.Errorf("%w: none of the stored files that it names is in blobs/", ErrMismatch)

// checkFolder makes sure that the database and the stored files belong
// together: both hold the same identity. Where one holds none yet, because it
// is new or of a release that wrote none, it takes the other's if what the
// database names and what is there does not contradict it. With accept the
// files take the identity of the database whatever there is.
func (a *App) checkFolder(ctx context.Context, accept bool) error {
	files, err := a.blobs.Identity()
	if err != nil {
		return err
	}
	var rows string
	var named []string
	err = a.store.Read(ctx, func(t *store.Tx) error {
		if rows, err = t.Folder(ctx); err != nil || rows != "" && rows == files {
			return err // what nearly every start finds
		}
		named, err = t.Blobs(ctx)
		return err
	})
	if err != nil || rows != "" && rows == files {
		return err
	}
	there, err := a.blobs.Keys()
	if err != nil {
		return err
	}
	if !accept {
		if err := contradiction(rows, files, named, there); err != nil {
			return err
		}
	}
	if files == "" {
		if files, err = a.newKey(); err != nil {
			return err
		}
	}
	if rows, err = a.store.KeepFolder(ctx, files); err != nil {
		return err
	}
	return a.blobs.SetIdentity(rows)
}

// contradiction says why a database that names some blobs is not that of the
// blobs that are there; nil if it may be. A missing identity is empty.
func contradiction(rows, files string, named, there []string) error {
	if len(there) == 0 && len(named) == 0 {
		return nil
	}
	if rows != "" && files != "" {
		return fmt.Errorf("%w: it is of another data folder than the stored files in blobs/ (%d)", ErrMismatch, len(there))
	}
	known := map[string]bool{}
	for _, key := range named {
		known[key] = true
	}
	if slices.ContainsFunc(there, func(key string) bool { return known[key] }) {
		return nil
	}
	if len(there) == 0 {
		return fmt.Errorf("%w (0 of %d)", ErrFilesGone, len(named))
	}
	return fmt.Errorf("%w: it is new or empty, and knows none of the stored files in blobs/ (%d)", ErrMismatch, len(there))
}

// sweep puts the stored files in order, see [blob.Files.Sweep], and logs each
// file that is moved.
func (a *App) sweep(ctx context.Context) {
	swept, err := a.blobs.Sweep(a.now(), a.store.Alive, func() (keys []string, err error) {
		err = a.store.Read(ctx, func(t *store.Tx) error {
			keys, err = t.Blobs(ctx)
			return err
		})
		return keys, err
	})
	if err != nil && ctx.Err() == nil {
		a.log.WarnContext(ctx, "sweeping leftover files", "error", err)
	}
	days := int(blob.OrphanGrace.Hours() / 24)
	for _, name := range swept.Orphaned {
		a.log.WarnContext(ctx, "the database does not know a stored file: moved to blobs/orphans", "file", name, "keptDays", days)
	}
	for _, name := range swept.Returned {
		a.log.WarnContext(ctx, "the database knows a stored file again: taken back from blobs/orphans", "file", name)
	}
	for _, name := range swept.Removed {
		a.log.InfoContext(ctx, "removed a leftover file", "file", name)
	}
}
