package preflight

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"foretell/internal/exit"
)

// HashWhileChecking makes the input compute the SHA-256 of its canonical form while it is checked.
// Sha256 and OpenChecked use this SHA-256.
func (in *InputTable) HashWhileChecking() { in.hash = sha256.New() }

// Sha256 returns the SHA-256 of the canonical form of the table, in hex. size is the size of the
// canonical form in bytes. If scanProfile has not hashed that many bytes, Sha256 returns "".
func (in *InputTable) Sha256(size int64) string {
	if in.hash == nil || in.hashed != size {
		return ""
	}
	return hex.EncodeToString(in.hash.Sum(nil))
}

// OpenChecked is like Open for a table that was checked. If its content has changed since, Read
// returns an error before it has returned the last byte, so a service never receives a complete
// table that was not checked. size is the size of the canonical form of the checked table in bytes.
func (in *InputTable) OpenChecked(ctx context.Context, size int64) (io.ReadCloser, error) {
	file, err := in.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &unchangedReader{ReadCloser: file, name: in.Name, hash: sha256.New(), left: size, want: in.Sha256(size)}, nil
}

// unchangedReader reads a table. Read fails if the table is not the table that was checked.
type unchangedReader struct {
	io.ReadCloser
	name string
	hash hash.Hash
	left int64  // bytes until the end of the checked table
	want string // the SHA-256 of the checked table; "" if it is unknown
}

func (r *unchangedReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if r.want != "" {
		r.hash.Write(p[:n])
	}
	r.left -= int64(n)
	switch {
	case r.left < 0 || r.left > 0 && errors.Is(err, io.EOF):
		return 0, r.changedError()
	case r.left == 0 && r.want != "" && hex.EncodeToString(r.hash.Sum(nil)) != r.want:
		return 0, r.changedError()
	}
	return n, err
}

// codeFileChanged is the code of the error about a file that changed since it was checked.
const codeFileChanged = "file-changed"

// IsFileChanged reports whether err is the error about a file that changed since it was checked.
func IsFileChanged(err error) bool {
	var e *exit.Error
	return errors.As(err, &e) && e.Code == codeFileChanged
}

func (r *unchangedReader) changedError() error {
	e := exit.Errorf(exit.Rejected, "%s: the file has changed since it was checked", r.name).At(r.name, 0, 0)
	e.Code = codeFileChanged
	return e.WithHint("run the command again when the file no longer changes")
}
