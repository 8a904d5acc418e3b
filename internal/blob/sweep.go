package blob

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// OrphanGrace is how long an orphan is kept before it is removed.
const OrphanGrace = 30 * 24 * time.Hour

// SweepResult lists the names of the blobs that a sweep removed or moved.
type SweepResult struct {
	// Removed are incomplete blobs of dead processes.
	Removed []string
	// Expired are the orphans that were removed because they were older than OrphanGrace.
	Expired []string
	// Orphaned are blobs that have become orphans, because no row references them. The sweep has
	// moved them to the subfolder orphans or, in a bucket, marked them by an empty object
	// orphans/KEY.
	Orphaned []string
	// Restored are orphans that a row references again.
	Restored []string
	// Orphans describes all orphans that exist after the sweep.
	Orphans Orphans
}

// Sweep cleans up after dead processes and replaced databases. It removes incomplete blobs. It
// makes a blob an orphan if no row references it, and removes the orphan after [OrphanGrace]. It
// restores an orphan that a row references again. It does not change the blobs of running
// processes, except orphans.
//
// isAlive must report whether the process with this name is running. listReferenced must return the
// keys between first and last, both inclusive, that rows reference.
func (s *Store) Sweep(ctx context.Context, now time.Time, isAlive func(process string) bool, listReferenced func(first, last string) ([]string, error)) (SweepResult, error) {
	undeleted := s.Delete(ctx) // tries again to delete the blobs in s.undeleted
	var result SweepResult
	errs := []error{undeleted}
	alive := map[string]bool{s.process: true}
	err := s.eachBatch(ctx, func(entries []listedBlob) error {
		left := slices.DeleteFunc(entries, func(e listedBlob) bool {
			process, _, _ := strings.Cut(e.name, "-")
			if _, known := alive[process]; !known {
				alive[process] = isAlive(process)
			}
			return e.orphaned.IsZero() && alive[process]
		})
		if len(left) == 0 {
			return nil
		}
		first, last := left[0].name, left[0].name
		for _, e := range left {
			first, last = min(first, e.name), max(last, e.name)
		}
		// The rows are read after the blobs. Otherwise Sweep would miss the row of a blob whose
		// process has stored the row in between and then died.
		keys, err := listReferenced(first, last)
		if err != nil {
			return err
		}
		referenced := map[string]bool{}
		for _, key := range keys {
			referenced[key] = true
		}
		for _, e := range left {
			errs = append(errs, s.sweepEntry(ctx, now, e, referenced[e.name], &result))
		}
		return nil
	})
	return result, errors.Join(append(errs, err)...)
}

// sweepEntry removes a blob, makes it an orphan or restores it, if necessary, and records this in
// result. referenced reports whether a row of the database references the blob.
func (s *Store) sweepEntry(ctx context.Context, now time.Time, e listedBlob, referenced bool, result *SweepResult) error {
	orphan := !e.orphaned.IsZero()
	switch {
	case orphan && referenced:
		return recordSwept(s.unsetOrphan(ctx, e.name), e.name, &result.Restored)
	case orphan && now.Sub(e.orphaned) >= OrphanGrace:
		return recordSwept(s.discard(ctx, e), e.name, &result.Expired)
	case orphan:
		result.Orphans.add(e.size, e.orphaned)
		return nil
	case referenced:
		return nil
	case e.incomplete:
		return recordSwept(s.discard(ctx, e), e.name, &result.Removed)
	}
	result.Orphans.add(e.size, now)
	return recordSwept(s.setOrphan(ctx, e.name, now), e.name, &result.Orphaned)
}

// recordSwept appends name to list if err is nil. err is the error of sweeping the blob with this
// name. recordSwept returns err, or nil if another process has swept the blob first.
func recordSwept(err error, name string, list *[]string) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil {
		*list = append(*list, name)
	}
	return err
}

// Orphans describes the blobs that no row references.
type Orphans struct {
	Count int
	Bytes int64
	// Oldest is when the oldest orphan became one. It is zero if Count is 0.
	Oldest time.Time
}

// add counts an orphan. size is its size in bytes, and since is the time when the blob became an
// orphan.
func (o *Orphans) add(size int64, since time.Time) {
	o.Count++
	o.Bytes += size
	if o.Oldest.IsZero() || since.Before(o.Oldest) {
		o.Oldest = since
	}
}

// Orphans lists all blobs and returns the number and size of the orphans. See also
// [SweepResult.Orphans].
func (s *Store) Orphans(ctx context.Context) (Orphans, error) {
	var o Orphans
	err := s.eachBatch(ctx, func(entries []listedBlob) error {
		for _, e := range entries {
			if !e.orphaned.IsZero() {
				o.add(e.size, e.orphaned)
			}
		}
		return nil
	})
	return o, err
}

// Keys returns the keys of all committed blobs, including orphans.
func (s *Store) Keys(ctx context.Context) (keys []string, err error) {
	err = s.eachBatch(ctx, func(entries []listedBlob) error {
		for _, e := range entries {
			if !e.incomplete {
				keys = append(keys, e.name)
			}
		}
		return nil
	})
	return keys, err
}
