package blob

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sweepFolder is a folder with the blobs of a running writer and a dead one.
type sweepFolder struct {
	dir          string
	self         *Files
	now          time.Time
	used         []string // what rows name
	kept, unused string   // of the dead writer: named, and not
	half         string   // half written by the dead writer
	whole        []string // of the living writers, which no row names yet
}

func newSweepFolder(t *testing.T) *sweepFolder {
	t.Helper()
	dir := t.TempDir()
	s := &sweepFolder{dir: dir, self: openFiles(t, dir, "self"), now: time.Now()}
	living, dead := openFiles(t, dir, "living"), openFiles(t, dir, "dead")
	put := func(f *Files) string {
		info, err := put(t, f, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Key
	}
	half := func(f *Files) string {
		w, err := f.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.file.Close() })
		return filepath.Base(w.file.Name())
	}
	s.kept, s.unused, s.half = put(dead), put(dead), half(dead)
	s.whole = []string{put(s.self), half(s.self), put(living), half(living)}
	s.used = []string{s.kept}
	return s
}

func (s *sweepFolder) sweep(t *testing.T) SweepResult {
	t.Helper()
	done, err := s.self.Sweep(s.now, func(writer string) bool { return writer == "living" }, func() ([]string, error) { return s.used, nil })
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func wantNames(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestSweep(t *testing.T) {
	s := newSweepFolder(t)
	done := s.sweep(t)
	wantNames(t, "removed", done.Removed, s.half)
	wantNames(t, "orphaned", done.Orphaned, s.unused)
	wantNames(t, "the folder", names(t, s.dir), append(s.whole, s.kept, orphansFolder)...)
	wantNames(t, "the orphans", names(t, filepath.Join(s.dir, orphansFolder)), s.unused)

	t.Run("an orphan can be read", func(t *testing.T) {
		r, err := s.self.Open(t.Context(), s.unused)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close() }()
		if b, err := io.ReadAll(r); string(b) != "x" {
			t.Errorf("%q, %v", b, err)
		}
	})
	t.Run("it is taken back when a row names it", func(t *testing.T) {
		s.used = []string{s.kept, s.unused}
		wantNames(t, "returned", s.sweep(t).Restored, s.unused)
		wantNames(t, "the orphans", names(t, filepath.Join(s.dir, orphansFolder)))
	})
	t.Run("it stays for the grace time, from when it became one", func(t *testing.T) {
		s.used = nil
		s.now = s.now.Add(10 * OrphanGrace) // the files are old by now
		wantNames(t, "orphaned", s.sweep(t).Orphaned, s.kept, s.unused)
		s.now = s.now.Add(OrphanGrace - time.Minute)
		wantNames(t, "removed", s.sweep(t).Removed)
		s.now = s.now.Add(2 * time.Minute)
		wantNames(t, "removed", s.sweep(t).Removed, s.kept, s.unused)
		wantNames(t, "the orphans", names(t, filepath.Join(s.dir, orphansFolder)))
	})
}

func TestSweepWithoutRows(t *testing.T) {
	s := newSweepFolder(t)
	before := names(t, s.dir)
	broken := errors.New("broken")
	_, err := s.self.Sweep(s.now, func(string) bool { return false }, func() ([]string, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	wantNames(t, "the folder", names(t, s.dir), before...)
}

func TestDeleteOrphan(t *testing.T) {
	s := newSweepFolder(t)
	s.sweep(t)
	if err := s.self.Delete(t.Context(), s.unused); err != nil {
		t.Fatal(err)
	}
	wantNames(t, "the orphans", names(t, filepath.Join(s.dir, orphansFolder)))
}

func TestIdentity(t *testing.T) {
	f := openFiles(t, t.TempDir(), "a")
	for _, want := range []string{"", "first", "second"} {
		if want != "" {
			if err := f.SetIdentity(want); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := f.Identity(); got != want || err != nil {
			t.Errorf("identity %q, %v, want %q", got, err, want)
		}
	}
	if err := os.Remove(filepath.Join(f.dir, identityFile)); err != nil {
		t.Error(err)
	}
	wantNames(t, "the folder", names(t, f.dir))
}
