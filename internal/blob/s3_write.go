package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"foretell/internal/spill"
)

const (
	// partSize is the size of the parts of an upload in bytes. S3 allows 10,000 parts
	// of at least 5 MiB.
	partSize = 16 << 20
	// abortTimeout is the time limit for removing a failed upload.
	abortTimeout = 5 * time.Second
)

// objectSink writes one object. It sends a blob of up to partSize bytes in one request, and a
// larger blob in a multipart upload. It first collects each part in a temporary file, so that the
// request with the part can be repeated.
type objectSink struct {
	store  *bucketStore
	ctx    context.Context
	object string

	part *spill.TempFile
	sum  hash.Hash // hash of part
	size int64     // size of part in bytes
	// total is the size of the object in bytes.
	total int64
	// upload is the ID of the multipart upload. It is empty before the first part was
	// sent.
	upload string
	parts  []minio.CompletePart
	// mayExist is true if a request was sent that may have created the object.
	mayExist bool
}

func (b *bucketStore) create(ctx context.Context, name string) (sink, error) {
	part, err := spill.CreateTemp(b.tempDir)
	if err != nil {
		return nil, wrapDiskFull(err)
	}
	return &objectSink{store: b, ctx: ctx, object: b.objectName(name), part: part, sum: sha256.New()}, nil
}

func (s *objectSink) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		if s.size == partSize {
			if err := s.sendPart(); err != nil {
				return written, err
			}
		}
		n, err := s.part.WriteAt(p[:min(int64(len(p)), partSize-s.size)], s.size)
		s.sum.Write(p[:n])
		s.size += int64(n)
		s.total += int64(n)
		written += n
		if err != nil {
			return written, wrapDiskFull(err)
		}
		p = p[n:]
	}
	return written, nil
}

// sendPart sends the collected part and begins the next part.
func (s *objectSink) sendPart() error {
	name := s.store.bucket
	if s.upload == "" {
		upload, err := s.store.core.NewMultipartUpload(s.ctx, name, s.object, minio.PutObjectOptions{})
		if err != nil {
			return s.store.translateS3Error(s.ctx, err)
		}
		s.upload = upload
	}
	number := len(s.parts) + 1
	sent, err := s.store.core.PutObjectPart(s.ctx, name, s.object, s.upload, number, s.content(), s.size,
		minio.PutObjectPartOptions{Sha256Hex: s.checksum(), DisableContentSha256: true})
	if err != nil {
		return s.store.translateS3Error(s.ctx, err)
	}
	s.parts = append(s.parts, minio.CompletePart{PartNumber: number, ETag: sent.ETag})
	s.size = 0
	s.sum.Reset()
	return nil
}

// content returns a reader of the collected part. It can seek, so that a request can
// be repeated.
func (s *objectSink) content() io.Reader { return io.NewSectionReader(s.part, 0, s.size) }

func (s *objectSink) checksum() string { return hex.EncodeToString(s.sum.Sum(nil)) }

func (s *objectSink) commit() error {
	if s.upload == "" {
		s.mayExist = true
		_, err := s.store.core.PutObject(s.ctx, s.store.bucket, s.object, s.content(), s.size,
			"", s.checksum(), minio.PutObjectOptions{DisableContentSha256: true})
		if err != nil {
			return s.store.translateS3Error(s.ctx, err)
		}
		return s.part.Close()
	}
	if err := s.sendPart(); err != nil {
		return err
	}
	s.mayExist = true
	if err := s.complete(); err != nil {
		return err
	}
	return s.part.Close()
}

// complete completes the multipart upload, which joins the parts to an object. Then it checks that
// the object exists, because the response of the store may be wrong. If the store was killed, it
// may report success without an object. If an earlier response was lost, it may report an error
// although the object exists.
func (s *objectSink) complete() error {
	_, err := s.store.core.CompleteMultipartUpload(s.ctx, s.store.bucket, s.object, s.upload, s.parts, minio.PutObjectOptions{})
	if err = s.store.translateS3Error(s.ctx, err); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	stat, err := s.store.core.StatObject(s.ctx, s.store.bucket, s.object, minio.StatObjectOptions{})
	err = s.store.translateS3Error(s.ctx, err)
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf("%w: the store has lost the parts of %s", ErrUnavailable, s.object)
	}
	if err == nil && stat.Size != s.total {
		return fmt.Errorf("%w: %d bytes instead of %d arrived", ErrUnavailable, stat.Size, s.total)
	}
	return err
}

// abort removes the parts and, if mayExist is true, the object.
func (s *objectSink) abort() (left []listedBlob, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), abortTimeout)
	defer cancel()
	errs := []error{s.part.Close()}
	name := strings.TrimPrefix(s.object, s.store.prefix)
	if s.upload != "" {
		parts := listedBlob{name: name + incompleteSuffix, incomplete: true, upload: s.upload}
		if err := s.store.discard(ctx, parts); err != nil && !errors.Is(err, ErrNotFound) {
			left, errs = append(left, parts), append(errs, err)
		}
	}
	if s.mayExist {
		err := s.store.translateS3Error(ctx, s.store.core.RemoveObject(ctx, s.store.bucket, s.object, minio.RemoveObjectOptions{}))
		if err != nil {
			left, errs = append(left, listedBlob{name: name}), append(errs, err)
		}
	}
	return left, errors.Join(errs...)
}
