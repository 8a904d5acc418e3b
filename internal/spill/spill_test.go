package spill_test

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

	"foretell/internal/spill"
)

// fill writes random bytes in writes of random lengths and returns them.
func fill(r *rand.Rand, t *spill.Stream) []byte {
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

// TestStream reads back what was written to the streams of three Files: one in a folder, one in a
// missing folder, and a nil File. It also reads the beginning of a stream after the stream has
// grown.
func TestStream(t *testing.T) {
	file, gone := spill.New(t.TempDir()), spill.New(filepath.Join(t.TempDir(), "gone"))
	defer file.Close()
	for name, disk := range map[string]*spill.File{"file": file, "folder gone": gone, "no disk": nil} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for _, size := range []int{1, 7, 64, 1 << 15} {
				stream := disk.NewStreamSize(size)
				all := fill(r, stream)
				if stream.Len() != int64(len(all)) {
					t.Fatalf("size %d: Len %d, want %d", size, stream.Len(), len(all))
				}
				if err := iotest.TestReader(stream.Reader(stream.Len()), all); err != nil {
					t.Fatalf("size %d: %v", size, err)
				}
				head := stream.Reader(int64(len(all)))
				more := fill(r, stream)
				if got, err := io.ReadAll(head); err != nil || !bytes.Equal(got, all) {
					t.Fatalf("size %d: what stood before the stream grew has changed (%v)", size, err)
				}
				if got, err := stream.AppendTo([]byte("before"), stream.Len()/2); err != nil || string(got) != "before"+string(append(all, more...)[:stream.Len()/2]) {
					t.Fatalf("size %d: not appended to what was there (%v)", size, err)
				}
				if got, err := io.ReadAll(stream.Reader(stream.Len())); err != nil || !bytes.Equal(got, append(all, more...)) {
					t.Fatalf("size %d: not what was written (%v)", size, err)
				}
			}
		})
	}
}

// TestConcurrentStreams writes several streams of one file concurrently.
func TestConcurrentStreams(t *testing.T) {
	disk := spill.New(t.TempDir())
	defer disk.Close()
	var group sync.WaitGroup
	for seed := range uint64(8) {
		group.Go(func() {
			stream := disk.NewStreamSize(50)
			all := fill(rand.New(rand.NewPCG(seed, 0)), stream)
			if got, err := io.ReadAll(stream.Reader(stream.Len())); err != nil || !bytes.Equal(got, all) {
				t.Errorf("stream %d: not what was written (%v)", seed, err)
			}
		})
	}
	group.Wait()
}

// TestNoFileIsLeft checks which files are in the folder before and after Close.
func TestNoFileIsLeft(t *testing.T) {
	dir := t.TempDir()
	disk := spill.New(dir)
	stream := disk.NewStreamSize(4)
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
	stream.Write([]byte("longer than four"))
	if n := files(); n != 0 && runtime.GOOS != "windows" {
		t.Errorf("%d files have a name that a killed process would leave", n)
	}
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	if n := files(); n != 0 {
		t.Errorf("%d files after Close", n)
	}
	if _, err := io.ReadAll(stream.Reader(8)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("reading after Close: %v, want %v", err, os.ErrClosed)
	}
}

// TestLoadIntoMemory loads a file between writes.
func TestLoadIntoMemory(t *testing.T) {
	disk := spill.New(t.TempDir())
	r := rand.New(rand.NewPCG(3, 4))
	stream := disk.NewStreamSize(64)
	all := fill(r, stream)
	for range 2 {
		if err := disk.LoadIntoMemory(); err != nil {
			t.Fatal(err)
		}
		all = append(all, fill(r, stream)...)
		if got, err := stream.AppendTo(nil, stream.Len()); err != nil || !bytes.Equal(got, all) {
			t.Fatalf("not what was written (%v)", err)
		}
	}
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.AppendTo(nil, 64); !errors.Is(err, os.ErrClosed) {
		t.Errorf("reading after Close: %v, want %v", err, os.ErrClosed)
	}
}

// TestSweep checks that Sweep keeps files that are not its own.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".foretell-scratch-1", "foretell.db"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := spill.Sweep(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "foretell.db" {
		t.Errorf("%v are left (%v)", entries, err)
	}
}
