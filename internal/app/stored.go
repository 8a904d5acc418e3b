package app

import (
	"context"
	"errors"
	"io"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/store"
)

// The things that have files, as messages name them, and what helps when the
// file is damaged and no backup has it.
const (
	csvOf    = "the CSV of dataset"
	modelOf  = "the file of model"
	blindOf  = "the blind CSV of prediction"
	resultOf = "the result of prediction"
)

var replacements = map[string]string{
	csvOf:    "upload the data again as a new dataset",
	modelOf:  "train again",
	blindOf:  "predict again",
	resultOf: "predict again",
}

// readStored has use read a stored file. It fails with a problem of
// CodeDamaged if the file is gone or is not what was stored, whatever use made
// of it: what a damaged file contains is not to be judged.
func (a *App) readStored(ctx context.Context, f store.File, noun, key string, use func(r io.Reader, size int64) error) error {
	r, err := a.blobs.OpenVerified(ctx, infoOf(f))
	if err != nil {
		return a.damaged(ctx, err, f, noun, key)
	}
	defer func() { _ = r.Close() }()
	err = use(r, r.Size)
	if ctx.Err() != nil {
		return err
	}
	if damage := r.Verify(); damage != nil {
		err = damage
	}
	return a.damaged(ctx, err, f, noun, key)
}

// damaged makes a problem that names the thing of an error that came of a
// damaged or missing file, whose name is logged. Other errors are returned as
// they are.
func (a *App) damaged(ctx context.Context, err error, f store.File, noun, key string) error {
	how := ""
	switch {
	case errors.Is(err, blob.ErrNotFound):
		how = "missing from the data folder"
	case errors.Is(err, blob.ErrDamaged):
		how = err.Error()
	default:
		return err
	}
	a.log.ErrorContext(ctx, "damaged file", "file", f.Blob, "of", noun+" "+key, "error", err)
	return api.NewProblem(api.CodeDamaged, "%s %s is %s: restore it from a backup, or %s", noun, key, how, replacements[noun]).WithCause(err)
}

// openStored opens a stored file to be sent, after all of it was compared with
// what was stored, each time: a disk that flips a bit leaves the time of the
// file as it was. Still reads the thing again: if that fails, the file is gone
// because the thing was deleted.
func (a *App) openStored(ctx context.Context, f store.File, noun, key string, still func() error) (*blob.Reader, error) {
	r, err := a.blobs.Open(ctx, f.Blob)
	if errors.Is(err, blob.ErrNotFound) {
		if gone := still(); gone != nil {
			return nil, gone
		}
	}
	if err != nil {
		return nil, a.damaged(ctx, err, f, noun, key)
	}
	err = a.readStored(ctx, f, noun, key, func(io.Reader, int64) error { return nil })
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func infoOf(f store.File) blob.Info { return blob.Info{Key: f.Blob, Size: f.Bytes, SHA256: f.SHA256} }
