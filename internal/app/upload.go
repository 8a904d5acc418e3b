package app

import (
	"context"
	"errors"
	"io"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/quota"
	"foretell/internal/store"
)

// upload is the body of an upload, and the limits min and max of its size. All sizes are in bytes.
type upload struct {
	body io.Reader
	// size is the declared size, or -1 if it is unknown.
	size     int64
	min, max int64
	// reserved counts the bytes that were read, because they use up the quota of the account.
	// storeUpload sets it.
	reserved *quota.Upload
}

// storeUpload stores the body of u as a blob. It checks the declared size before it reads the body,
// and the actual size while it reads. If it returns an error, nothing is stored.
func (a *App) storeUpload(ctx context.Context, u upload) (info blob.Info, err error) {
	if u.size > u.max {
		return blob.Info{}, tooLargeProblem(u.max)
	}
	if u.size >= 0 && u.size < u.min {
		return blob.Info{}, tooSmallProblem(u.size, u.min)
	}
	err = a.store.Read(ctx, func(t *store.Tx) (err error) {
		u.reserved, err = a.uploads.Begin(ctx, t, callerFromContext(ctx).Account, u.size)
		return err
	})
	if err != nil {
		return blob.Info{}, a.convertAccountError(err)
	}
	defer u.reserved.End() // after Abort; the transaction that records the file checks the quota again
	w, err := a.files.Create(ctx)
	if err != nil {
		return blob.Info{}, a.problems.Convert(err)
	}
	defer w.Abort()
	if err := u.copyTo(w); err != nil {
		return blob.Info{}, a.problems.Convert(err)
	}
	info, err = w.Commit()
	return info, a.problems.Convert(err)
}

// convertAccountError converts the error of an operation on the account of the caller. If the account
// was deleted after the request was authenticated, it returns a problem with CodeUnauthorized.
func (a *App) convertAccountError(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(api.CodeUnauthorized, "the account was deleted, so nothing was stored: log in with another account").WithCause(err)
	}
	return a.problems.Convert(err)
}

// namedBody is the body of an upload that has a file name, as in a form. FileName returns the name
// after the body has been read.
type namedBody interface{ FileName() string }

// copyTo copies the body to w. If the body cannot be read, it returns an *api.Problem for the
// client. If w fails, it returns the error of w unchanged.
func (u upload) copyTo(w io.Writer) error {
	buf := make([]byte, 64<<10)
	for read := int64(0); ; {
		n, err := u.body.Read(buf)
		if read += int64(n); read > u.max {
			return tooLargeProblem(u.max)
		}
		if err := u.reserved.Grow(int64(n)); err != nil {
			return err
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return err
		}
		switch {
		case err == nil:
			continue
		case !errors.Is(err, io.EOF):
			return interruptedProblem(read, err)
		case u.size >= 0 && read != u.size:
			return interruptedProblem(read, io.ErrUnexpectedEOF)
		case read < u.min:
			return tooSmallProblem(read, u.min)
		}
		return nil
	}
}

// interruptedProblem returns the problem of an upload that was interrupted by the given cause after
// the given number of bytes. If the cause is already an *api.Problem, it returns the cause.
func interruptedProblem(read int64, cause error) error {
	var p *api.Problem
	if errors.As(cause, &p) {
		return cause
	}
	return api.NewProblem(api.CodeMalformed, "the upload was interrupted after %d bytes and nothing was stored: repeat the upload", read).WithCause(cause)
}

func tooLargeProblem(limit int64) error {
	remedy := "remove rows or columns"
	if limit == api.MaxAddDataBytes {
		remedy = "send the file to the dataset's uploadUrl, which accepts larger files"
	}
	return api.NewProblem(api.CodeTooLarge, "the file exceeds %d bytes, so nothing was stored: %s", limit, remedy)
}

func tooSmallProblem(size, limit int64) error {
	return api.NewProblem(api.CodeTooSmall, "the file has only %d bytes, but at least %d are required; nothing was stored", size, limit)
}
