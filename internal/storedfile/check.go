package storedfile

import (
	"context"
	"io"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/store"
)

// CheckResult is the result of [Files.Check].
type CheckResult struct {
	// Files is the number of files that the database references. Files that are deleted during the
	// check do not count. Bytes is the total size of the undamaged files.
	Files int
	Bytes int64
	// Unverified is the number of files that an earlier version stored without a checksum, so that
	// their contents cannot be verified. The next read of such a file stores its checksum.
	Unverified int
	// Orphans describes the stored files that the database does not reference.
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

// Check verifies the size of every stored file and, if withChecksums is true, its checksum. A
// damaged file is not an error: it is listed in the result.
func (f *Files) Check(ctx context.Context, withChecksums bool) (*CheckResult, error) {
	files, err := f.listStoredFiles(ctx)
	if err != nil {
		return nil, err
	}
	c := &CheckResult{Files: len(files)}
	if c.Orphans, err = f.blobs.Orphans(ctx); err != nil {
		return nil, err
	}
	for _, file := range files {
		size, err := f.checkFile(ctx, file, withChecksums)
		switch {
		case err == nil:
			c.Bytes += size
		case api.CodeFromError(err) == api.CodeNotFound: // deleted since it was listed
			c.Files--
			continue
		case api.CodeFromError(err) == api.CodeDamaged:
			c.Damaged = append(c.Damaged, DamagedFile{file.Blob, err.Error()})
		default:
			return nil, err
		}
		if file.SHA256 == "" {
			c.Unverified++
		}
	}
	return c, nil
}

// checkFile verifies the size of a file and, if withChecksums is true, its checksum. It returns
// the size in bytes. It returns a problem with CodeDamaged if the file is damaged, and one with
// CodeNotFound if it was deleted.
func (f *Files) checkFile(ctx context.Context, file *store.OwnedFile, withChecksums bool) (size int64, err error) {
	if withChecksums {
		err = f.Read(ctx, file, func(_ io.Reader, n int64) error {
			size = n
			return nil
		})
		return size, err
	}
	r, err := f.blobs.OpenVerified(ctx, toInfo(file.File))
	if err != nil {
		return 0, f.damagedProblem(ctx, err, file)
	}
	return r.Size, r.Close()
}

// Usage holds the total sizes of the stored files, in bytes.
type Usage struct {
	// Datasets is the total size of all uploaded CSV files, Models of all models, and Predictions
	// of all blind files and results. A file that an earlier version stored may count as 0 until it
	// is next read.
	Datasets, Models, Predictions int64
	// Files is the number of files in these sizes. Orphans are not included.
	Files int64
}

// Usage returns the total size of the stored files of all accounts.
func (f *Files) Usage(ctx context.Context) (*Usage, error) {
	var totals []*store.FileTotal
	err := f.store.Read(ctx, func(t *store.Tx) (err error) {
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
	return &u, err
}

// listStoredFiles returns every file that the database references.
func (f *Files) listStoredFiles(ctx context.Context) (files []*store.OwnedFile, err error) {
	err = f.store.Read(ctx, func(t *store.Tx) error {
		files, err = t.ListFiles(ctx)
		return err
	})
	return files, err
}
