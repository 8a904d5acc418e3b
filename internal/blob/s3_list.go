package blob

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
)

// maxListBatch is the maximum number of listed objects in a batch of eachBatch. It limits the
// memory that is used to list a bucket.
const maxListBatch = 100_000

// eachBatch lists the objects of the bucket and the markers of orphans, both in the order of their
// names, and merges the two lists. The last batch also has the incomplete uploads.
func (b *bucketStore) eachBatch(ctx context.Context, fn func([]listedBlob) error) error {
	markers := b.listMarkers(ctx)
	defer markers.stop()
	size := cmp.Or(b.batch, maxListBatch)
	var batch []listedBlob
	for object := range b.core.ListObjectsIter(ctx, b.bucket, minio.ListObjectsOptions{Prefix: b.prefix}) {
		if object.Err != nil {
			return b.translateS3Error(ctx, object.Err)
		}
		name := strings.TrimPrefix(object.Key, b.prefix)
		if checkKey(name) != nil {
			continue
		}
		if batch = append(batch, listedBlob{name: name, size: object.Size}); len(batch) < size {
			continue
		}
		marked, err := markers.applyToSortedBatch(batch, func(marker string) bool { return marker <= name })
		if err != nil {
			return b.translateS3Error(ctx, err)
		}
		if err := fn(marked); err != nil {
			return err
		}
		batch = nil
	}
	marked, err := markers.applyToSortedBatch(batch, func(string) bool { return true })
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
func (b *bucketStore) listIncomplete(ctx context.Context) (uploads []listedBlob, err error) {
	for upload := range b.core.ListIncompleteUploads(ctx, b.bucket, b.prefix, true) {
		if upload.Err != nil {
			return nil, b.translateS3Error(ctx, upload.Err)
		}
		if name := strings.TrimPrefix(upload.Key, b.prefix); checkKey(name) == nil {
			uploads = append(uploads, listedBlob{name: name + incompleteSuffix, size: upload.Size, incomplete: true, upload: upload.UploadID})
		}
	}
	return uploads, nil
}

// orphanMarkers iterates over the markers of orphans, in the order of their names.
type orphanMarkers struct {
	prefix string
	next   func() (minio.ObjectInfo, bool)
	stop   func()
	// pending is the next marker to apply. It is valid if hasPending is true.
	pending    minio.ObjectInfo
	hasPending bool
}

// listMarkers returns an iterator over the markers of orphans. The caller must call its method
// stop.
func (b *bucketStore) listMarkers(ctx context.Context) *orphanMarkers {
	m := &orphanMarkers{prefix: b.prefix + orphansFolder + "/"}
	m.next, m.stop = iter.Pull(b.core.ListObjectsIter(ctx, b.bucket, minio.ListObjectsOptions{Prefix: m.prefix, Recursive: true}))
	m.pending, m.hasPending = m.next()
	return m
}

// applyToSortedBatch applies the next markers to a batch of blobs: it sets the field orphaned of
// each blob that has a marker. The batch must be sorted by name. The function belongs reports
// whether the marker with this name belongs to the batch. applyToSortedBatch stops at the first
// marker that does not, and keeps the remaining markers for later batches. If another process has
// removed the blob of a marker, applyToSortedBatch appends an entry for the blob to the batch.
func (m *orphanMarkers) applyToSortedBatch(entries []listedBlob, belongs func(name string) bool) ([]listedBlob, error) {
	sorted := entries
	for ; m.hasPending; m.pending, m.hasPending = m.next() {
		if m.pending.Err != nil {
			return nil, m.pending.Err
		}
		name, since := strings.TrimPrefix(m.pending.Key, m.prefix), m.pending.LastModified
		if !belongs(name) {
			break
		}
		if i, ok := slices.BinarySearchFunc(sorted, name, func(e listedBlob, name string) int { return cmp.Compare(e.name, name) }); ok {
			sorted[i].orphaned = since
		} else {
			entries = append(entries, listedBlob{name: name, orphaned: since})
		}
	}
	return entries, nil
}
