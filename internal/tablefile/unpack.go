package tablefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// stream is an open file with the unpackers and decoders through which it is read.
type stream struct {
	io.Reader
	closers []func() error
}

// Close closes the file and its decoders in reverse order.
func (s *stream) Close() error {
	var err error
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, s.closers[i]())
	}
	s.closers = nil
	return err
}

func (s *stream) closeQuietly() { _ = s.Close() }

// maxWindow is the largest window size of a Zstandard file, in bytes.
const maxWindow = 128 << 20

// gzipMagic are the first bytes of each member of a gzip file.
const gzipMagic = "\x1F\x8B"

// headSize is the number of bytes at the beginning of a file from which its format is detected.
const headSize = 64 << 10

// openFile opens the file at path. The stream calls onRead with the number of bytes of
// each read.
func openFile(path string, onRead func(n int)) (*stream, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	metered := readerFunc(func(p []byte) (int, error) {
		n, err := file.Read(p)
		onRead(n)
		return n, err
	})
	return &stream{Reader: metered, closers: []func() error{file.Close}}, nil
}

// ignoreCount is an onRead that does nothing.
func ignoreCount(int) {}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// unpack makes s read the unpacked content of a gzip or Zstandard file. It returns the
// name of the compression, or "" if the file is not compressed, and the first bytes of
// the content.
func (s *stream) unpack() (compression string, head []byte, err error) {
	in := bufio.NewReaderSize(s.Reader, headSize)
	s.Reader = in
	head, err = peekHead(in)
	if err != nil {
		return "", nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte(gzipMagic)):
		unpacked, err := gzip.NewReader(in)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errCutOff
		}
		if err != nil {
			return "", nil, fmt.Errorf("unpacking gzip: %w", err)
		}
		compression = "gzip"
		unpacked.Multistream(false)
		s.Reader, s.closers = unpackErrorReader{&gzipReader{unpacked, in}}, append(s.closers, unpacked.Close)
	case bytes.HasPrefix(head, []byte("\x28\xB5\x2F\xFD")):
		unpacked, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return "", nil, fmt.Errorf("unpacking Zstandard: %w", err)
		}
		compression = "Zstandard"
		s.Reader, s.closers = unpackErrorReader{unpacked}, append(s.closers, func() error { unpacked.Close(); return nil })
	default:
		return "", head, nil
	}
	content := bufio.NewReaderSize(s.Reader, headSize)
	s.Reader = content
	if head, err = peekHead(content); err != nil {
		return "", nil, fmt.Errorf("unpacking %s: %w", compression, err)
	}
	return compression, head, nil
}

// gzipReader reads the content of all members of a gzip file. It ignores zero bytes at the end of the
// file, as gzip does: tapes and some devices fill their last block with them.
type gzipReader struct {
	*gzip.Reader // of one member
	in           *bufio.Reader
}

func (r *gzipReader) Read(p []byte) (int, error) {
	for {
		n, err := r.Reader.Read(p)
		if errors.Is(err, io.EOF) {
			err = r.nextMember()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// nextMember begins to read the next member. After the last member, it returns io.EOF.
func (r *gzipReader) nextMember() error {
	if next, _ := r.in.Peek(len(gzipMagic)); string(next) == gzipMagic {
		err := r.Reset(r.in)
		r.Multistream(false) // Reset has set it
		return err
	}
	for {
		if b, err := r.in.ReadByte(); err != nil {
			return err
		} else if b != 0 {
			return errTrailing
		}
	}
}

// errTrailing is the error of a gzip file with other bytes after its last member.
var errTrailing = errors.New("the file has bytes after the end of its compressed data: copy or download it again, or unpack it without them with gzip -dc")

// errCutOff is the error of a compressed file without its end.
var errCutOff = errors.New("the end of the file is missing: copy or download it again")

// errDamaged is the error of a compressed file whose content does not fit its checksum or its format.
var errDamaged = errors.New("the file is damaged: copy or download it again")

// unpackErrorReader reads unpacked content. It returns errCutOff if the compressed file lacks its end,
// and errDamaged if its content is damaged.
type unpackErrorReader struct{ io.Reader }

func (r unpackErrorReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errCutOff
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrCRCMismatch), errors.As(err, &corrupt):
		err = errDamaged
	}
	return n, err
}

// peekHead returns the first headSize bytes of in, or fewer if the file is shorter.
func peekHead(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(headSize)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head, err
}
