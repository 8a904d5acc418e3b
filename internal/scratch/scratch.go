// Package scratch keeps bytes that nobody needs for a while out of memory: in a
// file that is nameless where the system allows that, so that nothing is left
// of it even if the process is killed.
package scratch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Disk is room for tapes in a folder. Tapes of one disk may be used by
// different goroutines at the same time. A nil one has no folder: what is on
// its tapes stays in memory.
type Disk struct {
	dir string

	mu   sync.RWMutex
	file *os.File // nil before the first write, and in the end
	name string   // of file, where it is still to be removed
	end  int64
	// memory holds what was in the file before the disk was vacated.
	memory []byte
	// full tells that what is written stays in memory. It costs room there, but
	// no work is lost.
	full   bool
	closed bool
}

// New returns a disk in dir, which must be there; empty is the system's folder
// for temporary files. There is no file before something is written.
func New(dir string) *Disk { return &Disk{dir: dir} }

// Close lets go of all that is on the tapes. They cannot be used any more.
func (d *Disk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed, d.memory = true, nil
	return d.drop()
}

// Vacate takes all that is on the tapes into memory, where what is written
// from then on stays too, and gives the room in the folder back: others may need
// it more. A folder that is full is vacated without being told.
func (d *Disk) Vacate() error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.vacate()
}

func (d *Disk) vacate() error {
	d.full = true
	if d.file == nil {
		return nil
	}
	memory := make([]byte, d.end)
	if _, err := io.ReadFull(io.NewSectionReader(d.file, 0, d.end), memory); err != nil {
		return err
	}
	d.memory = memory
	return d.drop()
}

// drop removes the file.
func (d *Disk) drop() error {
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	if d.name != "" {
		err = errors.Join(err, os.Remove(d.name))
	}
	d.file, d.name = nil, ""
	return err
}

// put writes b to the end of the file and returns where that is. ok is false
// if it could not be written.
func (d *Disk) put(b []byte) (at int64, ok bool) {
	if d == nil {
		return 0, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full || d.closed {
		return 0, false
	}
	if d.file == nil && d.create() != nil {
		d.full = true
		return 0, false
	}
	if _, err := d.file.WriteAt(b, d.end); err != nil {
		_ = d.vacate() // if it cannot be read either, whoever reads it will be told
		return 0, false
	}
	at = d.end
	d.end += int64(len(b))
	return at, true
}

func (d *Disk) create() error {
	file, err := os.CreateTemp(d.dir, prefix+"*")
	if err != nil {
		return err
	}
	d.file = file
	if err := os.Remove(file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.name = file.Name() // a system that keeps open files: Close removes it
	}
	return nil
}

// prefix begins the names of files.
const prefix = ".foretell-scratch-"

// Sweep removes from dir what killed processes left, on a system where files
// that are open keep their names. It keeps those of living ones too.
func Sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			_ = os.Remove(filepath.Join(dir, e.Name())) // refused if it is open
		}
	}
	return err
}

// readAt fills b from the file, or what was in it.
func (d *Disk) readAt(b []byte, at int64) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	switch {
	case d.memory != nil:
		copy(b, d.memory[at:])
		return nil
	case d.file == nil:
		return os.ErrClosed
	}
	_, err := d.file.ReadAt(b, at)
	return err
}

// buffer is the number of bytes that a tape of the usual size gathers before
// it writes them.
const buffer = 32 << 10

// Tape is a sequence of bytes that grows at its end. It is not safe for
// concurrent use.
type Tape struct {
	disk *Disk
	size int
	// pieces tell where each size bytes are: at that place of the file or, where
	// negative, in held at -1-place.
	pieces []int64
	held   [][]byte
	open   []byte // what follows the pieces
}

// NewTape returns an empty tape.
func (d *Disk) NewTape() *Tape { return d.NewTapeSize(buffer) }

// NewTapeSize returns an empty tape that gathers size bytes in memory before
// it writes them: less than usual where there are many tapes.
func (d *Disk) NewTapeSize(size int) *Tape { return &Tape{disk: d, size: size} }

// Write appends b. It never fails.
func (t *Tape) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		part := min(len(b), t.size-len(t.open))
		t.open = append(t.open, b[:part]...)
		b = b[part:]
		if len(t.open) == t.size {
			t.flush()
		}
	}
	return n, nil
}

// flush makes a piece of the open end.
func (t *Tape) flush() {
	if at, ok := t.disk.put(t.open); ok {
		t.pieces = append(t.pieces, at)
		t.open = t.open[:0]
		return
	}
	t.held = append(t.held, t.open)
	t.pieces = append(t.pieces, int64(-len(t.held)))
	t.open = make([]byte, 0, t.size)
}

// Len returns the number of bytes written.
func (t *Tape) Len() int64 { return int64(len(t.pieces))*int64(t.size) + int64(len(t.open)) }

// Reader returns a reader of the first n bytes, n ≤ t.Len(). Its errors are
// those of the file. The tape may grow meanwhile, but not at the same time as
// a Read.
func (t *Tape) Reader(n int64) io.Reader {
	return io.LimitReader(&tapeReader{tape: t}, n)
}

// Append appends the first n bytes to b, n ≤ t.Len().
func (t *Tape) Append(b []byte, n int64) ([]byte, error) {
	end := len(b)
	b = slices.Grow(b, int(n))[:end+int(n)]
	if _, err := io.ReadFull(t.Reader(n), b[end:]); err != nil {
		return b[:end], fmt.Errorf("reading what waits in a temporary file: %w", err)
	}
	return b, nil
}

type tapeReader struct {
	tape *Tape
	at   int64
}

func (r *tapeReader) Read(b []byte) (int, error) {
	t := r.tape
	piece, from := int(r.at/int64(t.size)), int(r.at%int64(t.size))
	n := 0
	switch {
	case piece == len(t.pieces):
		if from == len(t.open) && len(b) > 0 {
			return 0, io.EOF
		}
		n = copy(b, t.open[from:])
	case t.pieces[piece] < 0:
		n = copy(b, t.held[-1-t.pieces[piece]][from:])
	default:
		n = min(len(b), t.size-from)
		if err := t.disk.readAt(b[:n], t.pieces[piece]+int64(from)); err != nil {
			return 0, err
		}
	}
	r.at += int64(n)
	return n, nil
}
