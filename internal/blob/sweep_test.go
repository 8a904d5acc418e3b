package blob

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sweptStore is a store with blobs of two live processes and a dead one.
type sweptStore struct {
	place        testStore
	self         *Store
	now          time.Time
	used         []string // keys that rows reference
	kept, unused string   // blobs of the dead process: one that a row references, and one that none does
	half         string   // a blob that the dead process has not committed
	whole        []string // blobs of the live processes that no row references yet
}

func newSweptStore(t *testing.T, place testStore) *sweptStore {
	t.Helper()
	s := &sweptStore{place: place, self: place.open(t, "self"), now: time.Now()}
	living, dead := place.open(t, "living"), place.open(t, "dead")
	half := func(of *Store) string {
		w, err := of.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Abort)
		if _, err := w.Write([]byte(strings.Repeat("x", partSize+1))); err != nil {
			t.Fatal(err)
		}
		return w.info.Key + incompleteSuffix
	}
	s.kept, s.unused, s.half = mustPut(t, dead, "x"), mustPut(t, dead, "x"), half(dead)
	s.whole = []string{mustPut(t, s.self, "x"), half(s.self), mustPut(t, living, "x"), half(living)}
	s.used = []string{s.kept}
	return s
}

func (s *sweptStore) sweep(t *testing.T) SweepResult {
	t.Helper()
	done, err := s.self.Sweep(t.Context(), s.now, func(process string) bool { return process == "living" }, func(first, last string) ([]string, error) {
		return slices.DeleteFunc(slices.Clone(s.used), func(key string) bool { return key < first || key > last }), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func TestSweep(t *testing.T) {
	onEachBackend(t, func(t *testing.T, place testStore) {
		t.Helper()
		s := newSweptStore(t, place)
		done := s.sweep(t)
		wantNames(t, "removed", done.Removed, s.half)
		wantNames(t, "orphaned", done.Orphaned, s.unused)
		wantNames(t, "the store", names(t, s.self), append(s.whole, s.kept)...)
		wantNames(t, "the orphans", orphanNames(t, s.self), s.unused)

		t.Run("an orphan can be read", func(t *testing.T) { wantContent(t, s.self, s.unused, "x") })
		t.Run("it is counted", func(t *testing.T) {
			o, err := s.self.Orphans(t.Context())
			if age := s.now.Sub(o.Oldest).Abs(); o.Count != 1 || o.Bytes != 1 || age > time.Minute || err != nil {
				t.Errorf("%+v, %v", o, err)
			}
			if o := done.Orphans; o.Count != 1 || o.Bytes != 1 || !o.Oldest.Equal(s.now) {
				t.Errorf("the sweep has counted %+v", o)
			}
			if o := s.sweep(t).Orphans; o.Count != 1 || o.Bytes != 1 || s.now.Sub(o.Oldest).Abs() > time.Minute {
				t.Errorf("the next sweep has counted %+v", o)
			}
		})
		t.Run("it is taken back when a row names it", func(t *testing.T) {
			s.used = []string{s.kept, s.unused}
			wantNames(t, "restored", s.sweep(t).Restored, s.unused)
			wantNames(t, "the orphans", orphanNames(t, s.self))
			wantContent(t, s.self, s.unused, "x")
		})
		t.Run("it stays for the grace time", func(t *testing.T) {
			s.used = nil
			wantNames(t, "orphaned", s.sweep(t).Orphaned, s.kept, s.unused)
			s.now = s.now.Add(OrphanGrace - time.Minute)
			wantNames(t, "expired", s.sweep(t).Expired)
			s.now = s.now.Add(2 * time.Minute)
			wantNames(t, "expired", s.sweep(t).Expired, s.kept, s.unused)
			wantNames(t, "the orphans", orphanNames(t, s.self))
			_, err := s.self.Open(t.Context(), s.kept)
			wantError(t, err, ErrNotFound)
		})
	})
}

// TestSweepInBatches sweeps a bucket whose objects are listed in small batches.
func TestSweepInBatches(t *testing.T) {
	for _, batch := range []int{1, 2, 3} {
		place := testBucket(t)
		s := newSweptStore(t, place)
		s.self.backend.(*bucketStore).batch = batch
		done := s.sweep(t)
		wantNames(t, "removed", done.Removed, s.half)
		wantNames(t, "orphaned", done.Orphaned, s.unused)
		wantNames(t, "the store", names(t, s.self), append(s.whole, s.kept)...)
		s.used = nil
		wantNames(t, "orphaned", s.sweep(t).Orphaned, s.kept)
		wantNames(t, "the orphans", orphanNames(t, s.self), s.kept, s.unused)
		if o, err := s.self.Orphans(t.Context()); o.Count != 2 || err != nil {
			t.Errorf("%+v, %v", o, err)
		}
		s.used = []string{s.kept, s.unused}
		wantNames(t, "restored", s.sweep(t).Restored, s.kept, s.unused)
		wantNames(t, "the store", names(t, s.self), append(s.whole, s.kept, s.unused)...)
	}
}

// TestSweepOldFiles checks that the grace time of a file begins when it becomes an
// orphan, not when it was written.
func TestSweepOldFiles(t *testing.T) {
	dir := t.TempDir()
	s := newSweptStore(t, testStore{location: "file://" + filepath.ToSlash(dir)})
	s.now = s.now.Add(10 * OrphanGrace)
	wantNames(t, "orphaned", s.sweep(t).Orphaned, s.unused)
	wantNames(t, "expired", s.sweep(t).Expired)
	if _, err := os.Stat(filepath.Join(dir, orphansFolder, s.unused)); err != nil {
		t.Error(err)
	}
}

func TestSweepWithoutRows(t *testing.T) {
	onEachBackend(t, func(t *testing.T, place testStore) {
		t.Helper()
		s := newSweptStore(t, place)
		before := names(t, s.self)
		broken := errors.New("broken")
		_, err := s.self.Sweep(t.Context(), s.now, func(string) bool { return false }, func(string, string) ([]string, error) { return nil, broken })
		wantError(t, err, broken)
		wantNames(t, "the store", names(t, s.self), before...)
	})
}

func TestDeleteOrphan(t *testing.T) {
	onEachBackend(t, func(t *testing.T, place testStore) {
		t.Helper()
		s := newSweptStore(t, place)
		s.sweep(t)
		if err := s.self.Delete(t.Context(), s.unused); err != nil {
			t.Fatal(err)
		}
		wantNames(t, "the orphans", orphanNames(t, s.self))
		wantNames(t, "the store", names(t, s.self), append(s.whole, s.kept)...)
	})
}
