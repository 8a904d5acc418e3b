package blob

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// maxRequestTries is the number of times that a request is sent before the store is considered
// unavailable. Most requests that timed out are not sent again; see s3Transport.
const maxRequestTries = 3

// Options configures [Open].
type Options struct {
	// Process is the name of this process. The keys of new blobs begin with it. It must
	// consist of lower-case letters and digits.
	Process string
	// TempDir is the folder for temporary files. It must exist. Defaults to the folder of
	// the operating system. An upload to an S3 store needs at most partSize bytes there.
	TempDir string
	// Getenv returns the value of an environment variable, or an empty string if it is not
	// set.
	Getenv func(name string) string
	// MustExist is set if Open must not create a missing folder.
	MustExist bool
	// responseTimeout replaces the constants readTimeout and responseTimeout if it is not 0, for tests.
	responseTimeout time.Duration
}

// Open opens the store at location, which is s3://BUCKET/PREFIX or file:///DIR. It checks that an
// S3 store responds and accepts the credentials. It creates a missing folder. If opts.MustExist is
// set, it instead returns an error that wraps fs.ErrNotExist.
func Open(ctx context.Context, location string, opts Options) (*Store, error) {
	u, err := parseLocation(location)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "file" {
		dir, err := folderPath(u)
		if err != nil {
			return nil, err
		}
		if _, err := os.ReadDir(dir); err != nil && opts.MustExist {
			return nil, err
		}
		s, err := OpenFolder(dir, opts.Process)
		if err == nil {
			s.fixed = true
		}
		return s, err
	}
	if !isAlphanumeric(opts.Process) {
		return nil, fmt.Errorf("%w: process name %q", ErrInvalidKey, opts.Process)
	}
	where, err := parseBucketLocation(u, opts.Getenv)
	if err != nil {
		return nil, err
	}
	b, err := openBucket(ctx, where, opts)
	if err != nil {
		return nil, err
	}
	return &Store{backend: b, process: opts.Process, fixed: true}, nil
}

// bucketStore stores blobs as objects of an S3 bucket. An empty object orphans/NAME, called a
// marker, marks the blob NAME as an orphan: a blob that no row of the database references.
type bucketStore struct {
	*bucketLocation
	core    *minio.Core
	tempDir string
	batch   int // replaces maxListBatch if it is not 0, for tests
}

func openBucket(ctx context.Context, where *bucketLocation, opts Options) (*bucketStore, error) {
	creds, err := findCredentials(ctx, where, opts.Getenv)
	if err != nil {
		return nil, err
	}
	transport, err := newS3Transport(where.useHTTPS, opts.responseTimeout)
	if err != nil {
		return nil, err
	}
	core, err := minio.NewCore(where.host, &minio.Options{
		Creds: creds, Secure: where.useHTTPS, Region: where.region, Transport: transport, MaxRetries: maxRequestTries,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidLocation, err)
	}
	b := &bucketStore{bucketLocation: where, core: core, tempDir: opts.TempDir}
	body, _, _, err := core.GetObject(ctx, where.bucket, b.objectName(identityName), minio.GetObjectOptions{})
	if err == nil {
		return b, body.Close()
	}
	if err = b.translateS3Error(ctx, err); errors.Is(err, ErrNotFound) { // the bucket has no identity yet, but it exists and the credentials are valid
		return b, nil
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, where.timeoutError()
	}
	return nil, err
}

// findCredentials returns the credentials in the environment or in the AWS configuration files. If
// the environment or the location demands it, findCredentials also requests them from a service of
// the cloud.
func findCredentials(ctx context.Context, where *bucketLocation, getenv func(string) string) (*credentials.Credentials, error) {
	if id, secret := getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"); id != "" && secret != "" {
		return credentials.NewStaticV4(id, secret, getenv("AWS_SESSION_TOKEN")), nil
	}
	chain := []credentials.Provider{&credentials.FileAWSCredentials{Filename: getenv("AWS_SHARED_CREDENTIALS_FILE"), Profile: getenv("AWS_PROFILE")}}
	if where.instanceCredentials || getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "" ||
		getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "" || getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "" {
		chain = append(chain, &credentials.IAM{Region: where.region})
	}
	creds := credentials.NewChainCredentials(chain)
	value, err := creds.GetWithContext(&credentials.CredContext{Context: ctx, Client: http.DefaultClient})
	if err != nil || value.AccessKeyID == "" {
		return nil, fmt.Errorf("%w: %s", errNoCredentials, where)
	}
	return creds, nil
}

// Location returns the address of the bucket.
func (b *bucketStore) Location() string { return b.String() }

// objectName returns the name of the object of a blob: the prefix of the store followed by the
// name of the blob.
func (b *bucketStore) objectName(name string) string { return b.prefix + name }

// markerName returns the name of the object that marks the blob with this name as an orphan.
func (b *bucketStore) markerName(name string) string { return path.Join(b.prefix, orphansFolder, name) }

// remove removes the object first, and then its marker. In this order, no marker remains if
// another process calls setOrphan at the same time.
func (b *bucketStore) remove(ctx context.Context, name string) error {
	for _, object := range []string{b.objectName(name), b.markerName(name)} {
		if err := b.removeObject(ctx, object); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

// removeObject removes an object. Its argument is the name of the object, not of a blob.
func (b *bucketStore) removeObject(ctx context.Context, object string) error {
	return b.translateS3Error(ctx, b.core.RemoveObject(ctx, b.bucket, object, minio.RemoveObjectOptions{}))
}

// copyObject copies an object of the bucket to a new blob with the given name. It returns
// ErrNotFound if the object does not exist or does not have this ETag.
func (b *bucketStore) copyObject(ctx context.Context, object, etag, name string) error {
	_, err := b.core.Client.CopyObject(ctx,
		minio.CopyDestOptions{Bucket: b.bucket, Object: b.objectName(name)},
		minio.CopySrcOptions{Bucket: b.bucket, Object: object, MatchETag: etag})
	var answer minio.ErrorResponse
	if errors.As(err, &answer) && answer.StatusCode == http.StatusPreconditionFailed {
		return ErrNotFound
	}
	return b.translateS3Error(ctx, err)
}

func (b *bucketStore) discard(ctx context.Context, e listedBlob) error {
	if !e.incomplete {
		return b.remove(ctx, e.name)
	}
	name := strings.TrimSuffix(e.name, incompleteSuffix)
	return b.translateS3Error(ctx, b.core.AbortMultipartUpload(ctx, b.bucket, b.objectName(name), e.upload))
}

// setOrphan creates the marker of an orphan. The modification time of the marker, which the S3
// store sets, shows later when the blob became an orphan. If another process has removed the blob
// meanwhile, setOrphan removes the marker again.
func (b *bucketStore) setOrphan(ctx context.Context, name string, _ time.Time) error {
	_, err := b.core.Client.PutObject(ctx, b.bucket, b.markerName(name), strings.NewReader(""), 0, minio.PutObjectOptions{})
	if err != nil {
		return b.translateS3Error(ctx, err)
	}
	_, err = b.core.StatObject(ctx, b.bucket, b.objectName(name), minio.StatObjectOptions{})
	if err = b.translateS3Error(ctx, err); errors.Is(err, ErrNotFound) {
		err = errors.Join(err, b.unsetOrphan(ctx, name))
	}
	return err
}

func (b *bucketStore) unsetOrphan(ctx context.Context, name string) error {
	return b.removeObject(ctx, b.markerName(name))
}

// errorsByS3Code maps error codes of S3 to errors of this package. Errors with other codes are
// converted by their HTTP status.
var errorsByS3Code = map[string]error{
	minio.NoSuchKey:         ErrNotFound,
	minio.NoSuchUpload:      ErrNotFound,
	minio.NoSuchBucket:      ErrNoBucket,
	"QuotaExceeded":         ErrDiskFull,
	"XMinioStorageFull":     ErrDiskFull,
	"InvalidAccessKeyId":    ErrCredentials,
	"XAdminUserNotFound":    ErrCredentials, // InvalidAccessKeyId of Versity's gateway
	"SignatureDoesNotMatch": ErrCredentials,
	minio.AccessDenied:      ErrCredentials,
	"ExpiredToken":          ErrCredentials,
	"InvalidToken":          ErrCredentials,
	"RequestTimeTooSkewed":  ErrCredentials, // its message says that the clocks differ
}

// withoutAddress returns the cause of a request or connection error, because the message of such an
// error repeats the address. It returns other errors unchanged.
func withoutAddress(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	var connection *net.OpError
	if errors.As(err, &connection) && connection.Op == "dial" {
		err = connection.Err
	}
	return err
}

// timeoutError returns the error for a store that does not answer.
func (l *bucketLocation) timeoutError() error {
	return fmt.Errorf("%w: the store at %s does not answer", ErrUnavailable, l.host)
}

// translateS3Error converts an error of the S3 client to an error of this package. The message
// omits the request, because its URL or headers contain a signature.
func (b *bucketStore) translateS3Error(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errors.Join(err, ctx.Err())
	}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return fmt.Errorf("%w: %s at %s: %w", ErrUnavailable, b, b.host, withoutAddress(err))
	}
	if answer.StatusCode == statusTimeout {
		return b.timeoutError()
	}
	known := errorsByS3Code[answer.Code]
	cause := fmt.Errorf("%s at %s: %s: %s", b, b.host, answer.Code, answer.Message)
	switch {
	case known != nil:
		return fmt.Errorf("%w: %w", known, cause)
	case answer.StatusCode == http.StatusInsufficientStorage:
		return fmt.Errorf("%w: %w", ErrDiskFull, cause)
	case answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("%w: %w", ErrCredentials, cause)
	case answer.StatusCode >= http.StatusInternalServerError, answer.StatusCode == http.StatusTooManyRequests, answer.StatusCode == http.StatusRequestTimeout:
		return fmt.Errorf("%w: %w", ErrUnavailable, cause)
	}
	return cause
}
