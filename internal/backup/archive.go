package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"foretell/internal/spill"
)

// archiveWriter writes the entries of a backup and keeps their sums.
type archiveWriter struct {
	tar     *tar.Writer
	whole   hash.Hash // of all bytes
	created time.Time
	sums    *spill.TempFile // the content of SHA256SUMS
}

func newArchiveWriter(w io.Writer, tempDir string, created time.Time) (*archiveWriter, error) {
	sums, err := spill.CreateTemp(tempDir)
	if err != nil {
		return nil, err
	}
	whole := sha256.New()
	return &archiveWriter{tar: tar.NewWriter(io.MultiWriter(w, whole)), whole: whole, created: created, sums: sums}, nil
}

// errShort is returned by add if the content of an entry has another size than declared.
var errShort = errors.New("it has another size than before")

// add writes an entry of size bytes and returns its checksum in hex. If content cannot be
// read completely, the entry is filled with zeros, and the error of reading is returned as
// a *contentError.
func (a *archiveWriter) add(name string, size int64, content io.Reader) (sum string, err error) {
	header := &tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: a.created, Typeflag: tar.TypeReg}
	if err := a.tar.WriteHeader(header); err != nil {
		return "", err
	}
	digest := sha256.New()
	out := &trackingWriter{w: io.MultiWriter(a.tar, digest)}
	n, err := io.Copy(out, io.LimitReader(content, size))
	if out.err != nil {
		return "", out.err
	}
	var broken error
	if err != nil || n < size {
		if err == nil {
			err = errShort
		}
		broken = &contentError{err}
		if _, err := io.CopyN(out, zeros{}, size-n); err != nil {
			return "", err
		}
	}
	sum = hex.EncodeToString(digest.Sum(nil))
	if _, err := fmt.Fprintf(a.sums, "%s  %s\n", sum, name); err != nil {
		return "", err
	}
	return sum, broken
}

// addTemp writes an entry with the content of a temporary file.
func (a *archiveWriter) addTemp(name string, file *spill.TempFile) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	_, err = a.add(name, size, io.NewSectionReader(file, 0, size))
	return err
}

// sum returns the checksum, in hex, of all bytes before the next header.
func (a *archiveWriter) sum() (string, error) {
	err := a.tar.Flush() // the padding of the last entry
	return hex.EncodeToString(a.whole.Sum(nil)), err
}

// close releases the temporary file.
func (a *archiveWriter) close() error { return a.sums.Close() }

// contentError is an error of reading the content of an entry.
type contentError struct{ cause error }

func (e *contentError) Error() string { return e.cause.Error() }
func (e *contentError) Unwrap() error { return e.cause }

// trackingWriter remembers the first error of writing.
type trackingWriter struct {
	w   io.Writer
	err error
}

func (t *trackingWriter) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	if err != nil {
		t.err = err
	}
	return n, err
}

// zeros is a reader of zero bytes without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// contextReader is a reader that fails once its context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// blockSize is the size of the blocks of an archive in bytes.
const blockSize = 512

// delayedHash is a hash of all bytes written to it but the last blockSize.
type delayedHash struct {
	hash.Hash
	last []byte
}

func (d *delayedHash) Write(p []byte) (int, error) {
	d.last = append(d.last, p...)
	if n := len(d.last) - blockSize; n > 0 {
		d.Hash.Write(d.last[:n])
		d.last = append(d.last[:0], d.last[n:]...)
	}
	return len(p), nil
}

// archiveReader reads the entries of a backup and computes their sums.
type archiveReader struct {
	tar *tar.Reader
	raw io.Reader // all bytes, through whole
	// whole is the checksum of all bytes but those of the last block. After next, that block
	// is the header of the current entry.
	whole  *delayedHash
	entry  *tar.Header
	digest hash.Hash       // of the current entry
	sums   *spill.TempFile // what SHA256SUMS must be
}

func newArchiveReader(ctx context.Context, r io.Reader, tempDir string) (*archiveReader, error) {
	sums, err := spill.CreateTemp(tempDir)
	if err != nil {
		return nil, err
	}
	whole := &delayedHash{Hash: sha256.New()}
	raw := io.TeeReader(contextReader{ctx, bufio.NewReaderSize(r, 1<<20)}, whole)
	return &archiveReader{tar: tar.NewReader(raw), raw: raw, whole: whole, sums: sums}, nil
}

// next moves to the next entry. It returns io.EOF at the end.
func (a *archiveReader) next() error {
	if err := a.finish(); err != nil {
		return err
	}
	header, err := a.tar.Next()
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err != nil {
		return damaged(err)
	}
	if header.Typeflag != tar.TypeReg {
		return fmt.Errorf("%w: entry %q is no file", ErrDamaged, header.Name)
	}
	a.entry, a.digest = header, sha256.New()
	return nil
}

// finish reads the rest of the current entry and adds its checksum to sums.
func (a *archiveReader) finish() error {
	if a.entry == nil {
		return nil
	}
	if _, err := io.Copy(io.Discard, a); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.sums, "%x  %s\n", a.digest.Sum(nil), a.entry.Name)
	a.entry = nil
	return err
}

// Read reads the content of the current entry.
func (a *archiveReader) Read(p []byte) (int, error) {
	n, err := a.tar.Read(p)
	a.digest.Write(p[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		err = damaged(err)
	}
	return n, err
}

// verifySums compares the current entry, SHA256SUMS, with the sums of the entries before.
func (a *archiveReader) verifySums() error {
	size, err := a.sums.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	want, got := bufio.NewReader(io.NewSectionReader(a.sums, 0, size)), bufio.NewReader(a)
	for {
		computed, errWant := want.ReadString('\n')
		listed, errGot := got.ReadString('\n')
		atEnd := errors.Is(errWant, io.EOF)
		switch {
		case errGot != nil && !errors.Is(errGot, io.EOF):
			return errGot
		case errWant != nil && !atEnd:
			return errWant
		case computed != listed:
			return fmt.Errorf("%w: the SHA-256 of %s differs", ErrDamaged, entryOf(computed, listed))
		case atEnd:
			return nil
		}
	}
}

// entryOf returns the name in a line of SHA256SUMS: in computed, or else in listed.
func entryOf(computed, listed string) string {
	const prefix = 2*sha256.Size + 2
	for _, line := range []string{computed, listed} {
		if len(line) > prefix {
			return fmt.Sprintf("%q", line[prefix:len(line)-1])
		}
	}
	return sumsName
}

// verifyEnd checks that nothing but zeros follows the content of the current entry.
func (a *archiveReader) verifyEnd() error {
	buf := make([]byte, blockSize)
	for {
		n, err := a.raw.Read(buf)
		if len(bytes.TrimLeft(buf[:n], "\x00")) > 0 {
			return fmt.Errorf("%w: something follows %s", ErrDamaged, endName)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(err)
		}
	}
}

// close releases the temporary file.
func (a *archiveReader) close() error { return a.sums.Close() }

// damaged wraps the error of reading a backup in ErrDamaged, unless the context has ended.
func damaged(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrDamaged) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}
