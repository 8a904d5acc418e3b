package blob

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// uploadsFolder is the first part of the names of the objects that clients upload directly to the
// S3 store.
const uploadsFolder = "uploads"

// DirectAccess signs URLs with which clients access an S3 store directly, and manages the
// objects that they upload.
type DirectAccess struct {
	store  *Store
	bucket *bucketStore
}

// DirectAccess returns direct access to an S3 store. It returns ok = false if the store is a
// folder.
func (s *Store) DirectAccess() (access *DirectAccess, ok bool) {
	b, ok := s.backend.(*bucketStore)
	return &DirectAccess{store: s, bucket: b}, ok
}

// Upload is an object that a client has uploaded.
type Upload struct {
	// Name is the name that was passed to UploadURL.
	Name string
	// Size is the size of the object in bytes.
	Size int64
	// Modified is when the upload ended, by the clock of the S3 store.
	Modified time.Time
	etag     string
}

// UploadURL returns a signed URL to which a client can upload an object with a PUT request. The URL
// is valid for the duration lifetime. The request must have the given Content-Type. The name of the
// object must consist of words separated by slashes.
func (d *DirectAccess) UploadURL(ctx context.Context, name, contentType string, lifetime time.Duration) (string, error) {
	header := http.Header{"Content-Type": {contentType}}
	u, err := d.bucket.core.PresignHeader(ctx, http.MethodPut, d.bucket.bucket, d.uploadObjectName(name), lifetime, nil, header)
	if err != nil {
		return "", d.bucket.translateS3Error(ctx, err)
	}
	return u.String(), nil
}

// DownloadURL returns a signed URL with which a client can download a blob. The URL is valid for
// the duration lifetime. The response has the given Content-Type and suggests the given file name.
func (d *DirectAccess) DownloadURL(ctx context.Context, key, fileName, contentType string, lifetime time.Duration) (string, error) {
	if err := checkKey(key); err != nil {
		return "", err
	}
	query := url.Values{
		"response-content-type":        {contentType},
		"response-content-disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": fileName})},
	}
	u, err := d.bucket.core.PresignedGetObject(ctx, d.bucket.bucket, d.bucket.objectName(key), lifetime, query)
	if err != nil {
		return "", d.bucket.translateS3Error(ctx, err)
	}
	return u.String(), nil
}

// Uploads returns all complete uploads.
func (d *DirectAccess) Uploads(ctx context.Context) ([]Upload, error) {
	var uploads []Upload
	options := minio.ListObjectsOptions{Prefix: d.uploadObjectName(""), Recursive: true}
	for object := range d.bucket.core.ListObjectsIter(ctx, d.bucket.bucket, options) {
		if object.Err != nil {
			return nil, d.bucket.translateS3Error(ctx, object.Err)
		}
		uploads = append(uploads, Upload{Name: strings.TrimPrefix(object.Key, d.uploadObjectName("")), Size: object.Size, Modified: object.LastModified, etag: object.ETag})
	}
	return uploads, nil
}

// CopyToBlob copies an upload to a new blob. The upload remains until [DirectAccess.Delete] is
// called. CopyToBlob returns ErrNotFound if the client has replaced the upload since
// [DirectAccess.Uploads] returned it. After any other error, it tries to delete the blob, which may
// exist although the store did not respond.
func (d *DirectAccess) CopyToBlob(ctx context.Context, u Upload) (Info, error) {
	info := Info{Key: d.store.newKey(), Size: u.Size}
	err := d.store.measureCall(ctx, CallWrite, func() error { return d.bucket.copyObject(ctx, d.uploadObjectName(u.Name), u.etag, info.Key) })
	if errors.Is(err, ErrNotFound) {
		return Info{}, err
	}
	if err == nil {
		info.SHA256, err = d.store.computeChecksum(ctx, info)
	}
	if err != nil {
		return Info{}, errors.Join(err, d.store.Delete(context.WithoutCancel(ctx), info.Key))
	}
	return info, nil
}

// Delete removes an upload.
func (d *DirectAccess) Delete(ctx context.Context, name string) error {
	return d.store.measureCall(ctx, CallDelete, func() error { return d.bucket.removeObject(ctx, d.uploadObjectName(name)) })
}

func (d *DirectAccess) uploadObjectName(name string) string {
	return d.bucket.prefix + uploadsFolder + "/" + name
}

// computeChecksum reads the blob info.Key and returns its SHA-256 in hex. It returns ErrDamaged if
// the blob does not have info.Size bytes.
func (s *Store) computeChecksum(ctx context.Context, info Info) (string, error) {
	r, err := s.OpenVerified(ctx, info)
	if err != nil {
		return "", err
	}
	if err := errors.Join(r.Verify(), r.Close()); err != nil {
		return "", err
	}
	return r.SHA256(), nil
}
