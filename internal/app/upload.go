package app

import (
	"context"
	"errors"
	"io"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/store"
)

// upload is a body and the bounds of its size in bytes.
type upload struct {
	body io.Reader
	// size is what the request declares; -1 for nothing.
	size        int64
	least, most int64
}

// receive stores a body. A declared size is checked before anything is stored,
// the true one while it streams. On any error nothing is kept.
func (a *App) receive(ctx context.Context, u upload) (blob.Info, error) {
	if u.size > u.most {
		return blob.Info{}, tooLarge(u.most)
	}
	if u.size >= 0 && u.size < u.least {
		return blob.Info{}, tooSmall(u.size, u.least)
	}
	r := &limitedBody{upload: u}
	info, err := a.blobs.Put(ctx, r)
	if err == nil {
		return info, nil
	}
	var p *api.Problem
	if r.err != nil && !errors.As(r.err, &p) {
		return info, api.NewProblem(api.CodeMalformed, "the upload broke off after %d bytes; nothing was kept: send it again", r.read).WithCause(r.err)
	}
	return info, a.toProblem(err)
}

// limitedBody reads a body within its bounds and remembers how that ended, so
// that a broken connection can be told from a full disk.
type limitedBody struct {
	upload
	read int64
	err  error
}

// Read fails when the body is longer or shorter than it may be.
func (r *limitedBody) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	r.read += int64(n)
	switch {
	case r.read > r.most:
		err = tooLarge(r.most)
	case !errors.Is(err, io.EOF):
	case r.size >= 0 && r.read != r.size:
		err = io.ErrUnexpectedEOF
	case r.read < r.least:
		err = tooSmall(r.read, r.least)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

func tooLarge(limit int64) error {
	remedy := "split the file"
	if limit == api.MaxAddDataBytes {
		remedy = "send a larger file to the dataset's uploadUrl"
	}
	return api.NewProblem(api.CodeTooLarge, "more than the %d bytes that are allowed; nothing was kept: %s", limit, remedy)
}

func tooSmall(n, least int64) error {
	return api.NewProblem(api.CodeTooSmall, "%d bytes are no CSV; nothing was kept: send at least %d", n, least)
}

// storedFile is a stored file as its row keeps it.
func storedFile(info blob.Info) store.File {
	return store.File{Blob: info.Key, Bytes: info.Size, SHA256: info.SHA256}
}
