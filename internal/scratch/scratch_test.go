package scratch_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/iotest"

	"foretell/internal/scratch"
)

// fill writes random bytes in writes of random lengths and returns them.
func fill(r *rand.Rand, t *scratch.Tape) []byte {
	var all []byte
	for range 1 + r.IntN(40) {
		b := make([]byte, r.IntN(300))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		t.Write(b)
		all = append(all, b...)
	}
	return all
}

// TestTape reads back what was written, from a disk that works, from one whose
// folder is not there, from none, and while the tape grows.
func TestTape(t *testing.T) {
	file, gone := scratch.New(t.TempDir()), scratch.New(filepath.Join(t.TempDir(), "gone"))
	defer file.Close()
	for name, disk := range map[string]*scratch.Disk{"file": file, "folder gone": gone, "no disk": nil} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for _, size := range []int{1, 7, 64, 1 << 15} {
				tape := disk.NewTapeSize(size)
				all := fill(r, tape)
				if tape.Len() != int64(len(all)) {
					t.Fatalf("size %d: Len %d, want %d", size, tape.Len(), len(all))
				}
				if err := iotest.TestReader(tape.Reader(tape.Len()), all); err != nil {
					t.Fatalf("size %d: %v", size, err)
				}
				head := tape.Reader(int64(len(all)))
				more := fill(r, tape)
				if got, err := io.ReadAll(head); err != nil || !bytes.Equal(got, all) {
					t.Fatalf("size %d: what stood before the tape grew has changed (%v)", size, err)
				}
				if got, err := tape.Append([]byte("before"), tape.Len()/2); err != nil || string(got) != "before"+string(append(all, more...)[:tape.Len()/2]) {
					t.Fatalf("size %d: not appended to what was there (%v)", size, err)
				}
				if got, err := io.ReadAll(tape.Reader(tape.Len())); err != nil || !bytes.Equal(got, append(all, more...)) {
					t.Fatalf("size %d: not what was written (%v)", size, err)
				}
			}
		})
	}
}

// TestTapesSideBySide writes several tapes of one disk at the same time.
func TestTapesSideBySide(t *testing.T) {
	disk := scratch.New(t.TempDir())
	defer disk.Close()
	var group sync.WaitGroup
	for seed := range uint64(8) {
		group.Go(func() {
			tape := disk.NewTapeSize(50)
			all := fill(rand.New(rand.NewPCG(seed, 0)), tape)
			if got, err := io.ReadAll(tape.Reader(tape.Len())); err != nil || !bytes.Equal(got, all) {
				t.Errorf("tape %d: not what was written (%v)", seed, err)
			}
		})
	}
	group.Wait()
}

// TestNothingIsLeft looks for files before, and after Close.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	disk := scratch.New(dir)
	tape := disk.NewTapeSize(4)
	files := func() int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if n := files(); n != 0 {
		t.Errorf("%d files before the first write", n)
	}
	tape.Write([]byte("longer than four"))
	if n := files(); n != 0 && runtime.GOOS != "windows" {
		t.Errorf("%d files have a name that a killed process would leave", n)
	}
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	if n := files(); n != 0 {
		t.Errorf("%d files after Close", n)
	}
	if _, err := io.ReadAll(tape.Reader(8)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("reading after Close: %v, want %v", err, os.ErrClosed)
	}
}

// TestVacate takes a disk into memory between writes.
func TestVacate(t *testing.T) {
	disk := scratch.New(t.TempDir())
	r := rand.New(rand.NewPCG(3, 4))
	tape := disk.NewTapeSize(64)
	all := fill(r, tape)
	for range 2 {
		if err := disk.Vacate(); err != nil {
			t.Fatal(err)
		}
		all = append(all, fill(r, tape)...)
		if got, err := tape.Append(nil, tape.Len()); err != nil || !bytes.Equal(got, all) {
			t.Fatalf("not what was written (%v)", err)
		}
	}
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := tape.Append(nil, 64); !errors.Is(err, os.ErrClosed) {
		t.Errorf("reading after Close: %v, want %v", err, os.ErrClosed)
	}
}

// TestSweep leaves what is not ours.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".foretell-scratch-1", "foretell.db"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := scratch.Sweep(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "foretell.db" {
		t.Errorf("%v are left (%v)", entries, err)
	}
}
