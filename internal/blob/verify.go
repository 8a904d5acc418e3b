package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"
)

// ErrDamaged means that a blob is not as it was written. It is wrapped in an error whose message
// says how the blob differs. Test with errors.Is.
var ErrDamaged = errors.New("damaged")

// VerifiedReader reads a blob once, from start to end, and verifies its size
// and checksum. It is not safe for concurrent use.
type VerifiedReader struct {
	// Size is in bytes. ModTime is when the file was last written.
	Size    int64
	ModTime time.Time

	ctx       context.Context
	file      io.ReadCloser
	want      Info
	sum       hash.Hash
	bytesRead int64
	readErr   error // the error that ended the reading, which may be io.EOF; nil before the end
}

// OpenVerified opens the blob with the key want.Key. It returns ErrDamaged if the size is not
// want.Size. The Read that reaches the end returns ErrDamaged if the checksum is not want.SHA256.
// If want.SHA256 is empty, the checksum is not verified. If want.Size is also 0, the size is not
// verified either. Reads fail after ctx is done.
func (s *Store) OpenVerified(ctx context.Context, want Info) (*VerifiedReader, error) {
	r, err := s.Open(ctx, want.Key)
	if err != nil {
		return nil, err
	}
	if (want.SHA256 != "" || want.Size > 0) && r.Size != want.Size {
		return nil, errors.Join(sizeError(r.Size, want.Size), r.Close())
	}
	return &VerifiedReader{Size: r.Size, ModTime: r.ModTime, ctx: ctx, file: r, want: want, sum: sha256.New()}, nil
}

func sizeError(got, want int64) error {
	return fmt.Errorf("%w: it has %d bytes, but %d were stored", ErrDamaged, got, want)
}

// Read reads the next bytes of the blob. At the end, it returns ErrDamaged instead of io.EOF if
// the blob differs from what was written.
func (r *VerifiedReader) Read(p []byte) (int, error) {
	if r.readErr != nil {
		return 0, r.readErr
	}
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.file.Read(p)
	r.bytesRead += int64(n)
	r.sum.Write(p[:n])
	if errors.Is(err, io.EOF) {
		err = r.verifyEnd()
	}
	r.readErr = err
	return n, err
}

// verifyEnd returns what the Read at the end of the blob returns: io.EOF if size and checksum are
// the same as when the blob was written, and otherwise ErrDamaged.
func (r *VerifiedReader) verifyEnd() error {
	switch {
	case r.bytesRead != r.Size: // the file changed while it was read
		return sizeError(r.bytesRead, r.Size)
	case r.want.SHA256 != "" && r.SHA256() != r.want.SHA256:
		return fmt.Errorf("%w: its SHA-256 differs from the SHA-256 of the stored file", ErrDamaged)
	}
	return io.EOF
}

// SHA256 returns the checksum of the bytes read so far, in hex.
func (r *VerifiedReader) SHA256() string { return hex.EncodeToString(r.sum.Sum(nil)) }

// Verify reads the rest of the blob. It returns nil if the whole blob is as it was written, and
// ErrDamaged if it is not. It also returns other errors of reading.
func (r *VerifiedReader) Verify() error {
	_, err := io.Copy(io.Discard, onlyReader{r})
	return err
}

// onlyReader hides every method but Read, so that io.Copy uses Read.
type onlyReader struct{ io.Reader }

// Close closes the file.
func (r *VerifiedReader) Close() error { return r.file.Close() }
