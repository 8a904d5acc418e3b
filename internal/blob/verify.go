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

// ErrDamaged is what reading a blob fails with that is not what was written.
// Its text says in what they differ. Test with errors.Is.
var ErrDamaged = errors.New("damaged")

// VerifiedReader reads a blob once, from start to end, and compares it with
// what was written. It is for one goroutine.
type VerifiedReader struct {
	// Size of the file in bytes, and when it was last written to.
	Size    int64
	ModTime time.Time

	ctx  context.Context
	file io.ReadCloser
	want Info
	sum  hash.Hash
	read int64
	end  error // of the first read that found the end or failed; nil before
}

// OpenVerified opens the blob that want describes. It fails with ErrDamaged if
// the file has another size than want's, and so does the read that meets the
// end if the sum is another. A want without SHA256 has no sum to compare, and
// its Size is compared unless it is 0. Reads fail once ctx is done.
func (f *Files) OpenVerified(ctx context.Context, want Info) (*VerifiedReader, error) {
	r, err := f.Open(ctx, want.Key)
	if err != nil {
		return nil, err
	}
	if (want.SHA256 != "" || want.Size > 0) && r.Size != want.Size {
		return nil, errors.Join(sizeDamage(r.Size, want.Size), r.Close())
	}
	return &VerifiedReader{Size: r.Size, ModTime: r.ModTime, ctx: ctx, file: r, want: want, sum: sha256.New()}, nil
}

func sizeDamage(is, was int64) error {
	return fmt.Errorf("%w: %d bytes instead of the %d that were stored", ErrDamaged, is, was)
}

// Read reads on. In place of io.EOF it fails with ErrDamaged if the file is
// not what was written.
func (r *VerifiedReader) Read(p []byte) (int, error) {
	if r.end != nil {
		return 0, r.end
	}
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.file.Read(p)
	r.read += int64(n)
	r.sum.Write(p[:n])
	if errors.Is(err, io.EOF) {
		err = r.compare()
	}
	r.end = err
	return n, err
}

// compare returns io.EOF if all that was read is what was written.
func (r *VerifiedReader) compare() error {
	switch {
	case r.read != r.Size: // cut, or added to, while it was read
		return sizeDamage(r.read, r.Size)
	case r.want.SHA256 != "" && r.SHA256() != r.want.SHA256:
		return fmt.Errorf("%w: its SHA-256 is not that of what was stored", ErrDamaged)
	}
	return io.EOF
}

// SHA256 returns the sum of what was read so far, in hex.
func (r *VerifiedReader) SHA256() string { return hex.EncodeToString(r.sum.Sum(nil)) }

// Verify reads what is left. It returns nil if the whole file is what was
// written, and else what Read fails with.
func (r *VerifiedReader) Verify() error {
	_, err := io.Copy(io.Discard, onlyReader{r})
	return err
}

// onlyReader hides every method but Read.
type onlyReader struct{ io.Reader }

// Close closes the file.
func (r *VerifiedReader) Close() error { return r.file.Close() }
