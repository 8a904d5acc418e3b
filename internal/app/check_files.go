package app

import (
	"context"
	"io"

	"foretell/internal/api"
	"foretell/internal/store"
)

// FileCheck is what [App.CheckFiles] found.
type FileCheck struct {
	// Files that the database names, and their bytes as far as they are there.
	Files int
	Bytes int64
	// Unverified of them had no sum, because an earlier release stored them; those
	// whose bytes were read have got one.
	Unverified int
	// Orphans are files in blobs/orphans, which the database does not name.
	Orphans     int
	OrphanBytes int64
	// Damaged are the files that are missing or are not what was stored.
	Damaged []DamagedFile
}

// DamagedFile is a file that is missing or is not what was stored.
type DamagedFile struct {
	// Blob is its name in blobs/.
	Blob string
	// Reason tells what it is of and what is wrong.
	Reason string
}

// CheckFiles compares the size of every stored file with what was stored and,
// with sums, all of its bytes.
func (a *App) CheckFiles(ctx context.Context, sums bool) (*FileCheck, error) {
	var files []*store.OwnedFile
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		files, err = t.Files(ctx)
		return err
	})
	if err != nil {
		return nil, problem(err)
	}
	c := &FileCheck{Files: len(files)}
	if c.Orphans, c.OrphanBytes, err = a.blobs.Orphans(); err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.SHA256 == "" {
			c.Unverified++
		}
		size, err := a.checkFile(ctx, f, sums)
		switch {
		case err == nil:
			c.Bytes += size
		case api.CodeOf(err) == api.CodeDamaged:
			c.Damaged = append(c.Damaged, DamagedFile{f.Blob, err.Error()})
		default:
			return nil, err
		}
	}
	return c, nil
}

// checkFile returns the size of a file, or a problem of CodeDamaged.
func (a *App) checkFile(ctx context.Context, f *store.OwnedFile, sums bool) (size int64, err error) {
	if sums {
		err = a.readStored(ctx, f, func(_ io.Reader, n int64) error {
			size = n
			return nil
		})
		return size, err
	}
	r, err := a.blobs.OpenVerified(ctx, infoOf(f.File))
	if err != nil {
		return 0, a.damaged(ctx, err, f)
	}
	return r.Size, r.Close()
}
