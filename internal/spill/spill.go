// Package spill keeps temporary data in a file instead of in memory. Where the system allows
// it, the file has no name, so it disappears even if the process is killed.
package spill

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// File is a temporary file that holds streams of bytes. Its streams may be used concurrently. A nil
// File holds its streams in memory.
type File struct {
	dir string

	mu   sync.RWMutex
	file *TempFile // nil before the first write and after Close
	end  int64     // length of the file
	// memory holds the contents of the file after loadIntoMemory.
	memory []byte
	// keepInMemory is set if further writes stay in memory, for example because the disk is full.
	keepInMemory bool
	closed       bool
}

// New returns a File in the folder dir, which must exist. If dir is "", it is the system's folder for
// temporary files. The first write creates the file.
func New(dir string) *File { return &File{dir: dir} }

// Close removes the file. Its streams must not be used any more.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed, f.memory = true, nil
	return f.removeFile()
}

// LoadIntoMemory moves the data of all streams to memory and removes the file. Further writes stay
// in memory, too. A write to a full disk does the same.
func (f *File) LoadIntoMemory() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loadIntoMemory()
}

func (f *File) loadIntoMemory() error {
	f.keepInMemory = true
	if f.file == nil {
		return nil
	}
	memory := make([]byte, f.end)
	if _, err := io.ReadFull(io.NewSectionReader(f.file, 0, f.end), memory); err != nil {
		return err
	}
	f.memory = memory
	return f.removeFile()
}

func (f *File) removeFile() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

// appendBlock writes b to the end of the file and returns the offset of b. It returns false if b
// could not be written.
func (f *File) appendBlock(b []byte) (at int64, ok bool) {
	if f == nil {
		return 0, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keepInMemory || f.closed {
		return 0, false
	}
	if f.file == nil && f.createFile() != nil {
		f.keepInMemory = true
		return 0, false
	}
	if _, err := f.file.WriteAt(b, f.end); err != nil {
		_ = f.loadIntoMemory() // if this fails, reading the file returns the error
		return 0, false
	}
	at = f.end
	f.end += int64(len(b))
	return at, true
}

func (f *File) createFile() (err error) {
	f.file, err = CreateTemp(f.dir)
	return err
}

// namePrefix is the prefix of the names of temporary files, by which [Sweep] finds them.
const namePrefix = ".foretell-scratch-"

// Sweep removes the files of killed processes from dir, on systems that cannot remove open
// files. It does not remove files of running processes.
func Sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), namePrefix) {
			_ = os.Remove(filepath.Join(dir, e.Name())) // fails if a running process has the file open
		}
	}
	return err
}

// readAt reads len(b) bytes at the offset at, from the file or from memory, into b.
func (f *File) readAt(b []byte, at int64) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	switch {
	case f.memory != nil:
		copy(b, f.memory[at:])
		return nil
	case f.file == nil:
		return os.ErrClosed
	}
	_, err := f.file.ReadAt(b, at)
	return err
}

// bufferSize is the default buffer size of a stream in bytes.
const bufferSize = 32 << 10

// Stream is an append-only sequence of bytes. It is not safe for concurrent use.
type Stream struct {
	file      *File
	blockSize int
	// blocks are the offsets of the blocks in the file. A negative offset n means the block
	// memoryBlocks[-1-n].
	blocks       []int64
	memoryBlocks [][]byte
	buffer       []byte // the bytes after the blocks
}

// NewStream returns an empty stream.
func (f *File) NewStream() *Stream { return f.NewStreamSize(bufferSize) }

// NewStreamSize returns an empty stream with a buffer of size bytes. Choose less than the
// default, 32 KiB, if there are many streams.
func (f *File) NewStreamSize(size int) *Stream { return &Stream{file: f, blockSize: size} }

// Write appends b. It never fails.
func (s *Stream) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		part := min(len(b), s.blockSize-len(s.buffer))
		s.buffer = append(s.buffer, b[:part]...)
		b = b[part:]
		if len(s.buffer) == s.blockSize {
			s.flush()
		}
	}
	return n, nil
}

// flush writes the buffer as a block.
func (s *Stream) flush() {
	if at, ok := s.file.appendBlock(s.buffer); ok {
		s.blocks = append(s.blocks, at)
		s.buffer = s.buffer[:0]
		return
	}
	s.memoryBlocks = append(s.memoryBlocks, s.buffer)
	s.blocks = append(s.blocks, int64(-len(s.memoryBlocks)))
	s.buffer = make([]byte, 0, s.blockSize)
}

// Len returns the number of bytes written.
func (s *Stream) Len() int64 { return int64(len(s.blocks))*int64(s.blockSize) + int64(len(s.buffer)) }

// Reader returns a reader of the first n bytes. n must be at most s.Len(). Read returns an error
// if the file cannot be read. The stream must not be written to during a Read.
func (s *Stream) Reader(n int64) io.Reader {
	return io.LimitReader(&streamReader{stream: s}, n)
}

// AppendTo appends the first n bytes of the stream to b, and returns the extended slice. The number
// n must be at most s.Len().
func (s *Stream) AppendTo(b []byte, n int64) ([]byte, error) {
	end := len(b)
	b = slices.Grow(b, int(n))[:end+int(n)]
	if _, err := io.ReadFull(s.Reader(n), b[end:]); err != nil {
		return b[:end], fmt.Errorf("reading a temporary file: %w", err)
	}
	return b, nil
}

type streamReader struct {
	stream *Stream
	at     int64
}

func (r *streamReader) Read(b []byte) (int, error) {
	s := r.stream
	block, from := int(r.at/int64(s.blockSize)), int(r.at%int64(s.blockSize))
	n := 0
	switch {
	case block == len(s.blocks):
		if from == len(s.buffer) && len(b) > 0 {
			return 0, io.EOF
		}
		n = copy(b, s.buffer[from:])
	case s.blocks[block] < 0:
		n = copy(b, s.memoryBlocks[-1-s.blocks[block]][from:])
	default:
		n = min(len(b), s.blockSize-from)
		if err := s.file.readAt(b[:n], s.blocks[block]+int64(from)); err != nil {
			return 0, err
		}
	}
	r.at += int64(n)
	return n, nil
}
