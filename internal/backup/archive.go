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

// archiveWriter writes the entries of a backup to a tar archive, and collects the checksums of
// the entries.
type archiveWriter struct {
	tar         *tar.Writer
	archiveHash hash.Hash // hash of all bytes of the archive so far
	// created is the time of the backup, which all entries get as their modification time.
	created       time.Time
	checksumLines *spill.TempFile // lines of SHA256SUMS for the entries so far
}

func newArchiveWriter(w io.Writer, tempDir string, created time.Time) (*archiveWriter, error) {
	sums, err := spill.CreateTemp(tempDir)
	if err != nil {
		return nil, err
	}
	whole := sha256.New()
	return &archiveWriter{tar: tar.NewWriter(io.MultiWriter(w, whole)), archiveHash: whole, created: created, checksumLines: sums}, nil
}

// errSizeMismatch is returned by addEntry if the content has fewer bytes than the parameter
// size.
var errSizeMismatch = errors.New("its size has changed")

// addEntry writes an entry of size bytes to the archive, and returns the SHA-256 of its content in
// hex. If content cannot be read, addEntry fills the rest of the entry with zeros and returns the
// error as a *contentError.
func (a *archiveWriter) addEntry(name string, size int64, content io.Reader) (sum string, err error) {
	header := &tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: a.created, Typeflag: tar.TypeReg}
	if err := a.tar.WriteHeader(header); err != nil {
		return "", err
	}
	digest := sha256.New()
	out := &errorTrackingWriter{w: io.MultiWriter(a.tar, digest)}
	n, err := io.Copy(out, io.LimitReader(content, size))
	if out.err != nil {
		return "", out.err
	}
	var broken error
	if err != nil || n < size {
		if err == nil {
			err = errSizeMismatch
		}
		broken = &contentError{err}
		if _, err := io.CopyN(out, zeroReader{}, size-n); err != nil {
			return "", err
		}
	}
	sum = hex.EncodeToString(digest.Sum(nil))
	if _, err := fmt.Fprintf(a.checksumLines, "%s  %s\n", sum, name); err != nil {
		return "", err
	}
	return sum, broken
}

// addTempFile writes an entry with the content of a temporary file to the archive.
func (a *archiveWriter) addTempFile(name string, file *spill.TempFile) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	_, err = a.addEntry(name, size, io.NewSectionReader(file, 0, size))
	return err
}

// checksum returns the SHA-256, in hex, of all bytes of the archive so far.
func (a *archiveWriter) checksum() (string, error) {
	err := a.tar.Flush() // writes the padding of the last entry
	return hex.EncodeToString(a.archiveHash.Sum(nil)), err
}

// close removes the temporary file of the checksums.
func (a *archiveWriter) close() error { return a.checksumLines.Close() }

// contentError is an error from reading the content of an entry.
type contentError struct{ cause error }

func (e *contentError) Error() string { return e.cause.Error() }
func (e *contentError) Unwrap() error { return e.cause }

// errorTrackingWriter writes to w and keeps the last error of w. With it, an error of io.Copy can
// be attributed to the writer or the reader.
type errorTrackingWriter struct {
	w   io.Writer
	err error
}

func (t *errorTrackingWriter) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	if err != nil {
		t.err = err
	}
	return n, err
}

// zeroReader is an endless reader of zero bytes.
type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// contextReader is a reader whose Read fails after its context is done.
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

// delayedHash computes the hash of all bytes written to it, except the last blockSize bytes, which
// may belong to the header of the next entry.
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

// archiveReader reads the entries of a backup from a tar archive, and computes the checksums of
// the entries.
type archiveReader struct {
	tar *tar.Reader
	raw io.Reader // the bytes of the archive; reading also adds them to archiveHash
	// archiveHash is the hash of all bytes read except the last block. After nextEntry, the last
	// block is the header of the current entry, so archiveHash is the hash of the entries before
	// it.
	archiveHash   *delayedHash
	entry         *tar.Header
	digest        hash.Hash       // hash of the current entry
	checksumLines *spill.TempFile // lines that SHA256SUMS must have
}

func newArchiveReader(ctx context.Context, r io.Reader, tempDir string) (*archiveReader, error) {
	sums, err := spill.CreateTemp(tempDir)
	if err != nil {
		return nil, err
	}
	whole := &delayedHash{Hash: sha256.New()}
	raw := io.TeeReader(contextReader{ctx, bufio.NewReaderSize(r, 1<<20)}, whole)
	return &archiveReader{tar: tar.NewReader(raw), raw: raw, archiveHash: whole, checksumLines: sums}, nil
}

// nextEntry moves to the next entry. It returns io.EOF after the last entry.
func (a *archiveReader) nextEntry() error {
	if err := a.finishEntry(); err != nil {
		return err
	}
	header, err := a.tar.Next()
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err != nil {
		return damagedError(err)
	}
	if header.Typeflag != tar.TypeReg {
		return fmt.Errorf("%w: entry %q is not a regular file", ErrDamaged, header.Name)
	}
	a.entry, a.digest = header, sha256.New()
	return nil
}

// finishEntry reads the rest of the current entry and appends its checksum to checksumLines.
func (a *archiveReader) finishEntry() error {
	if a.entry == nil {
		return nil
	}
	if _, err := io.Copy(io.Discard, a); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.checksumLines, "%x  %s\n", a.digest.Sum(nil), a.entry.Name)
	a.entry = nil
	return err
}

// Read reads the content of the current entry.
func (a *archiveReader) Read(p []byte) (int, error) {
	n, err := a.tar.Read(p)
	a.digest.Write(p[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		err = damagedError(err)
	}
	return n, err
}

// maxChecksumLineBytes is the maximum size of a line of SHA256SUMS in bytes. A line contains a
// name in a tar archive, which is shorter than 1 MiB.
const maxChecksumLineBytes = 2 << 20

// verifyChecksums reads the current entry, SHA256SUMS. It returns ErrDamaged if the entry does
// not have the checksums of the entries before it.
func (a *archiveReader) verifyChecksums() error {
	size, err := a.checksumLines.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	want, got := bufio.NewReader(io.NewSectionReader(a.checksumLines, 0, size)), bufio.NewReader(a)
	for {
		computed, errWant := readLine(want, maxChecksumLineBytes)
		listed, errGot := readLine(got, maxChecksumLineBytes)
		atEnd := errors.Is(errWant, io.EOF)
		switch {
		case errGot != nil && !errors.Is(errGot, io.EOF):
			return errGot
		case errWant != nil && !atEnd:
			return errWant
		case !bytes.Equal(computed, listed):
			return fmt.Errorf("%w: the SHA-256 of %s differs", ErrDamaged, quoteEntryName(computed, listed))
		case atEnd:
			return nil
		}
	}
}

// quoteEntryName returns, in quotes, the name of the entry whose line in SHA256SUMS is wrong.
// computed is the line that SHA256SUMS should have, and listed the line that it has. The name is
// taken from computed or, if computed is empty because SHA256SUMS has too many lines, from listed.
func quoteEntryName(computed, listed []byte) string {
	const prefix = 2*sha256.Size + 2
	for _, line := range [][]byte{computed, listed} {
		if len(line) > prefix {
			return fmt.Sprintf("%q", line[prefix:len(line)-1])
		}
	}
	return sumsName
}

// verifyNothingFollows returns ErrDamaged if anything but zero bytes follows the current entry.
func (a *archiveReader) verifyNothingFollows() error {
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
			return damagedError(err)
		}
	}
}

// close removes the temporary file of the checksums.
func (a *archiveReader) close() error { return a.checksumLines.Close() }

// damagedError wraps an error of reading a backup in ErrDamaged. It returns an error unchanged if
// this already wraps ErrDamaged, or if it wraps context.Canceled or context.DeadlineExceeded.
func damagedError(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrDamaged) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}
