package app

import (
	"context"
	"errors"
	"io"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/store"
)

// fileKinds tells of each kind of stored file how messages name it, before the
// key of what it is of, and what helps when it is damaged and no backup has it.
var fileKinds = map[string]struct{ noun, replacement string }{
	store.CSVFile:    {"the CSV of dataset", "upload the data again as a new dataset"},
	store.ModelFile:  {"the file of model", "train again"},
	store.BlindFile:  {"the blind CSV of prediction", "predict again"},
	store.ResultFile: {"the result of prediction", "predict again"},
}

func csvOf(d *store.Dataset) *store.OwnedFile {
	return &store.OwnedFile{File: d.File, Kind: store.CSVFile, Key: d.Key}
}

func fileOfModel(m *store.Model) *store.OwnedFile {
	return &store.OwnedFile{File: m.File, Kind: store.ModelFile, Key: m.Key}
}

func blindOf(p *store.Prediction) *store.OwnedFile {
	return &store.OwnedFile{File: p.Blind, Kind: store.BlindFile, Key: p.Key}
}

func resultOf(p *store.Prediction) *store.OwnedFile {
	return &store.OwnedFile{File: p.Result, Kind: store.ResultFile, Key: p.Key}
}

// readStored has use read a stored file. It fails with a problem of
// CodeDamaged if the file is gone or is not what was stored, whatever use made
// of it: what a damaged file contains is not to be judged. A file of an earlier
// release, which has no sum, gets that of what was read.
func (a *App) readStored(ctx context.Context, f *store.OwnedFile, use func(r io.Reader, size int64) error) error {
	r, err := a.blobs.OpenVerified(ctx, infoOf(f.File))
	if err != nil {
		return a.damaged(ctx, err, f)
	}
	defer func() { _ = r.Close() }()
	err = use(r, r.Size)
	if ctx.Err() != nil {
		return err
	}
	if damage := r.Verify(); damage != nil {
		return a.damaged(ctx, damage, f)
	}
	if err == nil && f.SHA256 == "" {
		a.keepSum(ctx, f, r)
	}
	return err
}

// keepSum stores the size and sum of a file that was read to its end.
func (a *App) keepSum(ctx context.Context, f *store.OwnedFile, r *blob.VerifiedReader) {
	summed := *f
	summed.Bytes, summed.SHA256 = r.Size, r.SHA256()
	err := a.store.Write(ctx, func(t *store.Tx) error { return t.KeepSum(ctx, &summed) })
	if err != nil && ctx.Err() == nil { // the next read tries again
		a.log.WarnContext(ctx, "storing the sum of a file", "file", f.Blob, "error", err)
	}
}

// damaged makes a problem that names the thing of an error that came of a
// damaged or missing file, whose name is logged. Other errors are returned as
// they are.
func (a *App) damaged(ctx context.Context, err error, f *store.OwnedFile) error {
	how := ""
	switch {
	case errors.Is(err, blob.ErrNotFound):
		how = "missing from the data folder"
	case errors.Is(err, blob.ErrDamaged):
		how = err.Error()
	default:
		return err
	}
	kind := fileKinds[f.Kind]
	a.log.ErrorContext(ctx, "damaged file", "file", f.Blob, "of", kind.noun+" "+f.Key, "error", err)
	return api.NewProblem(api.CodeDamaged, "%s %s is %s: restore it from a backup, or %s", kind.noun, f.Key, how, kind.replacement).WithCause(err)
}

// openStored opens a stored file to be sent, after all of it was compared with
// what was stored, each time: a disk that flips a bit leaves the time of the
// file as it was. Still reads the thing again: if that fails, the file is gone
// because the thing was deleted.
func (a *App) openStored(ctx context.Context, f *store.OwnedFile, still func() error) (*blob.Reader, error) {
	r, err := a.blobs.Open(ctx, f.Blob)
	if errors.Is(err, blob.ErrNotFound) {
		if gone := still(); gone != nil {
			return nil, gone
		}
	}
	if err != nil {
		return nil, a.damaged(ctx, err, f)
	}
	err = a.readStored(ctx, f, func(io.Reader, int64) error { return nil })
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func infoOf(f store.File) blob.Info { return blob.Info{Key: f.Blob, Size: f.Bytes, SHA256: f.SHA256} }
