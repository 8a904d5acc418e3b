package blob

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
)

// listBatch is the maximum number of objects that are in memory while a bucket is listed.
const listBatch = 100_000

// eachBatch lists the objects of the bucket and the marks of orphans, both in the order of their
// names, and merges them. Incomplete uploads are in the last batch, because there are few.
func (b *bucketStore) eachBatch(ctx context.Context, fn func([]entry) error) error {
	marks := b.listMarks(ctx)
	defer marks.stop()
	size := cmp.Or(b.batch, listBatch)
	var batch []entry
	for object := range b.core.ListObjectsIter(ctx, b.bucket, minio.ListObjectsOptions{Prefix: b.prefix}) {
		if object.Err != nil {
			return b.translateS3Error(ctx, object.Err)
		}
		name := strings.TrimPrefix(object.Key, b.prefix)
		if checkKey(name) != nil {
			continue
		}
		if batch = append(batch, entry{name: name, size: object.Size}); len(batch) < size {
			continue
		}
		marked, err := marks.applyToSorted(batch, func(mark string) bool { return mark <= name })
		if err != nil {
			return b.translateS3Error(ctx, err)
		}
		if err := fn(marked); err != nil {
			return err
		}
		batch = nil
	}
	marked, err := marks.applyToSorted(batch, func(string) bool { return true })
	if err != nil {
		return b.translateS3Error(ctx, err)
	}
	uploads, err := b.listIncomplete(ctx)
	if err != nil {
		return err
	}
	return fn(append(marked, uploads...))
}

// listIncomplete returns the blobs whose upload has not ended.
func (b *bucketStore) listIncomplete(ctx context.Context) (uploads []entry, err error) {
	for upload := range b.core.ListIncompleteUploads(ctx, b.bucket, b.prefix, true) {
		if upload.Err != nil {
			return nil, b.translateS3Error(ctx, upload.Err)
		}
		if name := strings.TrimPrefix(upload.Key, b.prefix); checkKey(name) == nil {
			uploads = append(uploads, entry{name: name + partSuffix, size: upload.Size, incomplete: true, upload: upload.UploadID})
		}
	}
	return uploads, nil
}

// orphanMarks lists the marks of orphans in the order of their names.
type orphanMarks struct {
	prefix string
	next   func() (minio.ObjectInfo, bool)
	stop   func()
	// first is the next mark, if hasFirst is set.
	first    minio.ObjectInfo
	hasFirst bool
}

// listMarks returns the marks of orphans. The caller must call stop.
func (b *bucketStore) listMarks(ctx context.Context) *orphanMarks {
	m := &orphanMarks{prefix: b.prefix + orphansFolder + "/"}
	m.next, m.stop = iter.Pull(b.core.ListObjectsIter(ctx, b.bucket, minio.ListObjectsOptions{Prefix: m.prefix, Recursive: true}))
	m.first, m.hasFirst = m.next()
	return m
}

// applyToSorted sets the field orphaned of the entries of a batch, which must be sorted by name. It
// consumes marks while belongs returns true for their names, and keeps the other marks for later
// batches. If another process has meanwhile removed the blob of a mark, applyToSorted appends an
// entry for the blob.
func (m *orphanMarks) applyToSorted(entries []entry, belongs func(name string) bool) ([]entry, error) {
	sorted := entries
	for ; m.hasFirst; m.first, m.hasFirst = m.next() {
		if m.first.Err != nil {
			return nil, m.first.Err
		}
		name, since := strings.TrimPrefix(m.first.Key, m.prefix), m.first.LastModified
		if !belongs(name) {
			break
		}
		if i, ok := slices.BinarySearchFunc(sorted, name, func(e entry, name string) int { return cmp.Compare(e.name, name) }); ok {
			sorted[i].orphaned = since
		} else {
			entries = append(entries, entry{name: name, orphaned: since})
		}
	}
	return entries, nil
}
