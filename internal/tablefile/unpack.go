package tablefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// stream is an open file on its way through unpacking and decoding.
type stream struct {
	io.Reader
	closers []func() error
}

// Close closes what the stream was made of, the last first.
func (s *stream) Close() error {
	var err error
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, s.closers[i]())
	}
	s.closers = nil
	return err
}

// release closes a stream that was only looked at: it says nothing then.
func (s *stream) release() { _ = s.Close() }

// maxWindow is the memory that a Zstandard file may ask for.
const maxWindow = 128 << 20

// headSize is what is looked at of a file to find out what it is.
const headSize = 64 << 10

// openFile opens the file at path. read is told how many bytes were read.
func openFile(path string, read func(n int)) (*stream, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	metered := readerFunc(func(p []byte) (int, error) {
		n, err := file.Read(p)
		read(n)
		return n, err
	})
	return &stream{Reader: metered, closers: []func() error{file.Close}}, nil
}

// ignore does not count what is read.
func ignore(int) {}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// unpack replaces the stream with what was packed in it by gzip or Zstandard,
// and returns the name of the packing and the first bytes of the content.
func (s *stream) unpack() (packing string, head []byte, err error) {
	in := bufio.NewReaderSize(s.Reader, headSize)
	s.Reader = in
	head, err = peek(in)
	if err != nil {
		return "", nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1F\x8B")):
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return "", nil, fmt.Errorf("unpacking gzip: %w", err)
		}
		packing = "gzip"
		s.Reader, s.closers = unpacked, append(s.closers, unpacked.Close)
	case bytes.HasPrefix(head, []byte("\x28\xB5\x2F\xFD")):
		unpacked, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return "", nil, fmt.Errorf("unpacking Zstandard: %w", err)
		}
		packing = "Zstandard"
		s.Reader, s.closers = unpacked, append(s.closers, func() error { unpacked.Close(); return nil })
	default:
		return "", head, nil
	}
	content := bufio.NewReaderSize(s.Reader, headSize)
	s.Reader = content
	if head, err = peek(content); err != nil {
		return "", nil, fmt.Errorf("unpacking %s: %w", packing, err)
	}
	return packing, head, nil
}

// peek returns up to headSize bytes. A file that ends early is no error.
func peek(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(headSize)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head, err
}
