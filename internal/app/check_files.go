package app

import (
	"context"
	"io"

	"foretell/internal/api"
	"foretell/internal/blob"
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
	Orphans blob.Orphans
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
	files, err := a.storedFiles(ctx)
	if err != nil {
		return nil, err
	}
	c := &FileCheck{Files: len(files)}
	if c.Orphans, err = a.blobs.Orphans(); err != nil {
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

// Usage is the bytes of the stored files.
type Usage struct {
	// Datasets are uploaded CSV files, Predictions results and blind files.
	Datasets, Models, Predictions int64
	Orphans                       blob.Orphans
}

// Usage measures the stored files of all accounts.
func (a *App) Usage(ctx context.Context) (*Usage, error) {
	files, err := a.storedFiles(ctx)
	if err != nil {
		return nil, err
	}
	var u Usage
	if u.Orphans, err = a.blobs.Orphans(); err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Bytes == 0 { // stored by an earlier release
			if r, err := a.blobs.Open(ctx, f.Blob); err == nil {
				f.Bytes = r.Size
				_ = r.Close() // nothing was written
			}
		}
		switch f.Kind {
		case store.CSVFile:
			u.Datasets += f.Bytes
		case store.ModelFile:
			u.Models += f.Bytes
		default:
			u.Predictions += f.Bytes
		}
	}
	return &u, nil
}

// storedFiles reads every file that the database names.
func (a *App) storedFiles(ctx context.Context) (files []*store.OwnedFile, err error) {
	err = a.store.Read(ctx, func(t *store.Tx) error {
		files, err = t.Files(ctx)
		return err
	})
	return files, a.problem(err)
}
