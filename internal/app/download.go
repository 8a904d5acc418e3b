package app

import (
	"context"
	"io"
	"time"

	"foretell/internal/store"
)

// File is an immutable file to download. The caller must close it.
type File struct {
	io.ReadSeekCloser
	Size int64
	// Name is the suggested file name.
	Name    string
	ModTime time.Time
	// ETag is unique among all files that were ever at the same URL.
	ETag string
	// BeforeSend must be called before a byte of the file is sent. It verifies the file, and
	// records the download in the audit log.
	BeforeSend func(ctx context.Context) error
}

// openDownload opens the stored file f for a download. It returns a copy of file in which the
// reader, Size and BeforeSend are set. owner is the key of the account that owns the file.
func (a *App) openDownload(ctx context.Context, f *store.OwnedFile, file File, owner string) (*File, error) {
	r, err := a.files.Open(ctx, f)
	if err != nil {
		return nil, a.problems.Convert(err)
	}
	file.ReadSeekCloser, file.Size = r, r.Size
	file.BeforeSend = func(ctx context.Context) error {
		if err := a.RecordDownload(ctx, owner, f.Kind+".download", f.Key); err != nil {
			return err
		}
		return a.problems.Convert(a.files.Verify(ctx, f, owner))
	}
	return &file, nil
}
