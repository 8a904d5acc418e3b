package app

import (
	"context"
	"io"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/store"
)

// FileCheck is the result of [App.CheckFiles].
type FileCheck struct {
	// Files is the number of files that the database references. Bytes is the total size of the
	// undamaged files.
	Files int
	Bytes int64
	// Unverified is the number of files that an earlier version stored without a checksum.
	// Their contents cannot be verified. The checksum of such a file is stored when the file is
	// next read.
	Unverified int
	// Orphans describes the files in blobs/orphans, which the database does not
	// reference.
	Orphans blob.Orphans
	// Damaged are the files that are missing or corrupt.
	Damaged []DamagedFile
}

// DamagedFile is a file that is missing or corrupt.
type DamagedFile struct {
	// Blob is the name of the file in blobs/.
	Blob string
	// Reason is a message that names the owner of the file and what is wrong with the file.
	Reason string
}

// CheckFiles verifies the size of every stored file and, if withChecksums is true, its checksum. A
// damaged file is not an error: it is listed in the result.
func (a *App) CheckFiles(ctx context.Context, withChecksums bool) (*FileCheck, error) {
	files, err := a.listStoredFiles(ctx)
	if err != nil {
		return nil, err
	}
	c := &FileCheck{Files: len(files)}
	if c.Orphans, err = a.blobs.Orphans(ctx); err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.SHA256 == "" {
			c.Unverified++
		}
		size, err := a.checkFile(ctx, f, withChecksums)
		switch {
		case err == nil:
			c.Bytes += size
		case api.CodeFromError(err) == api.CodeDamaged:
			c.Damaged = append(c.Damaged, DamagedFile{f.Blob, err.Error()})
		default:
			return nil, err
		}
	}
	return c, nil
}

// checkFile returns the size of a file, or a problem with CodeDamaged if it is
// damaged.
func (a *App) checkFile(ctx context.Context, f *store.OwnedFile, withChecksums bool) (size int64, err error) {
	if withChecksums {
		err = a.readVerifiedFile(ctx, f, func(_ io.Reader, n int64) error {
			size = n
			return nil
		})
		return size, err
	}
	r, err := a.blobs.OpenVerified(ctx, toBlobInfo(f.File))
	if err != nil {
		return 0, a.damagedProblem(ctx, err, f)
	}
	return r.Size, r.Close()
}

// Usage has the total sizes of the stored files, in bytes.
type Usage struct {
	// Datasets is the size of all uploaded CSV files. Predictions is the size of all
	// results and blind files. Files that an earlier version stored may count as 0 until they are
	// read.
	Datasets, Models, Predictions int64
	// Files is the number of files in these sizes. Orphans are not included.
	Files int64
}

// Usage returns the total size of the stored files of all accounts.
func (a *App) Usage(ctx context.Context) (*Usage, error) {
	var totals []*store.FileTotal
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		totals, err = t.SumFiles(ctx)
		return err
	})
	var u Usage
	for _, total := range totals {
		u.Files += total.Files
		switch total.Kind {
		case store.CSVFile:
			u.Datasets += total.Bytes
		case store.ModelFile:
			u.Models += total.Bytes
		default:
			u.Predictions += total.Bytes
		}
	}
	return &u, a.problems.Convert(err)
}

// Orphans lists all stored files and returns the number and size of the orphans.
func (a *App) Orphans(ctx context.Context) (blob.Orphans, error) { return a.blobs.Orphans(ctx) }

// SweptOrphans returns the number and size of the orphans after the last clean-up of this
// process. It returns nil before the first clean-up.
func (a *App) SweptOrphans() *blob.Orphans { return a.sweptOrphans.Load() }

// ObserveFiles makes the App call report at the end of each read, write and delete of a stored
// file. The function report must be safe for concurrent use. On a zero App, ObserveFiles does
// nothing.
func (a *App) ObserveFiles(report func(blob.BackendCall)) {
	if a.blobs != nil {
		a.blobs.Observe(a.now, report)
	}
}

// listStoredFiles returns every file that the database references.
func (a *App) listStoredFiles(ctx context.Context) (files []*store.OwnedFile, err error) {
	err = a.store.Read(ctx, func(t *store.Tx) error {
		files, err = t.ListFiles(ctx)
		return err
	})
	return files, a.problems.Convert(err)
}
