package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
)

// etagDelay is the time after which statObject first asks again for a missing ETag. The time grows
// with each attempt.
const etagDelay = 20 * time.Millisecond

// objectReader reads an object from any offset. If its connection breaks, it continues
// at the same offset with a new connection.
type objectReader struct {
	store  *bucketStore
	ctx    context.Context
	object string
	etag   string
	size   int64
	// offset is where the next Read begins.
	offset int64
	// body reads the object from offset on. It is nil if there is no connection.
	body io.ReadCloser
	// failures is the number of reads that have failed since the last successful one.
	failures int
}

func (b *bucketStore) open(ctx context.Context, name string) (*Reader, error) {
	stat, err := b.statObject(ctx, name)
	if err != nil {
		return nil, err
	}
	r := &objectReader{store: b, ctx: ctx, object: b.objectName(name), etag: stat.ETag, size: stat.Size}
	return &Reader{ReadSeekCloser: r, Size: stat.Size, ModTime: stat.LastModified}, nil
}

// statObject returns the metadata of an object. Some servers return no ETag for a moment while an
// object is deleted. statObject then asks again.
func (b *bucketStore) statObject(ctx context.Context, name string) (minio.ObjectInfo, error) {
	for try := 1; ; try++ {
		stat, err := b.core.StatObject(ctx, b.bucket, b.objectName(name), minio.StatObjectOptions{})
		if err != nil || stat.ETag != "" {
			return stat, b.translateS3Error(ctx, err)
		}
		if try >= maxRequestTries {
			return stat, fmt.Errorf("the S3 server returned no ETag for the object %s", b.objectName(name))
		}
		select {
		case <-ctx.Done():
			return stat, ctx.Err()
		case <-time.After(time.Duration(try) * etagDelay):
		}
	}
}

func (r *objectReader) Read(p []byte) (int, error) {
	if r.offset >= r.size {
		return 0, io.EOF
	}
	for {
		n, err := r.readOnce(p)
		r.offset += int64(n)
		if n > 0 {
			r.failures = 0
			return n, nil // the next Read returns the error again, if there is one
		}
		if err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) || r.ctx.Err() != nil {
			return 0, errors.Join(err, r.ctx.Err())
		}
		_ = r.Close()
		if r.failures++; r.failures >= maxRequestTries {
			return 0, err
		}
	}
}

// readOnce reads from the connection. If none exists, it opens one.
func (r *objectReader) readOnce(p []byte) (int, error) {
	if r.body == nil {
		if err := r.connect(); err != nil {
			return 0, err
		}
	}
	n, err := r.body.Read(p[:min(int64(len(p)), r.size-r.offset)])
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // not the end, because offset < size
	}
	return n, r.store.translateS3Error(r.ctx, err)
}

// connect requests the object, from the current offset to its end.
func (r *objectReader) connect() error {
	opts := minio.GetObjectOptions{}
	if err := opts.SetMatchETag(r.etag); err != nil {
		return err
	}
	if r.offset > 0 {
		if err := opts.SetRange(r.offset, 0); err != nil {
			return err
		}
	}
	body, _, _, err := r.store.core.GetObject(r.ctx, r.store.bucket, r.object, opts)
	var answer minio.ErrorResponse
	if errors.As(err, &answer) && answer.StatusCode == statusTimeout {
		r.failures = maxRequestTries // a store that hangs is not asked again
	}
	if errors.As(err, &answer) && answer.StatusCode == http.StatusPreconditionFailed {
		return fmt.Errorf("%w: it was replaced while it was read", ErrDamaged)
	}
	r.body = body
	return r.store.translateS3Error(r.ctx, err)
}

// Seek sets the offset of the next Read, which then opens a new connection.
func (r *objectReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.offset
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start of a blob")
	}
	if offset != r.offset {
		_ = r.Close() // an error is harmless, because the connection was only read
		r.offset, r.failures = offset, 0
	}
	return offset, nil
}

// Close closes the connection.
func (r *objectReader) Close() error {
	if r.body == nil {
		return nil
	}
	body := r.body
	r.body = nil
	return body.Close()
}
