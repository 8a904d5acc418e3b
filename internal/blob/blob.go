// Package blob stores files that are too large for a database row: uploaded CSV
// files, models, results. A blob is written atomically, and then only read or
// deleted. The bytes are in a folder or in an S3 bucket.
//
//	Create → Write … → Commit   makes the blob durable and visible under its key
//	                 → Abort    removes what was written
//
// A key begins with the name of the process that wrote the blob. With this name, [Store.Sweep]
// distinguishes new blobs of live processes from blobs that dead processes have left.
package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The errors that callers handle. Test with errors.Is.
var (
	ErrNotFound   = errors.New("no such blob")
	ErrDiskFull   = errors.New("no space left for blobs")
	ErrInvalidKey = errors.New("invalid blob key")
	// ErrUnavailable is returned while an S3 store cannot be used: it does not respond, is
	// overloaded or refuses the credentials. The same call may succeed later.
	ErrUnavailable = errors.New("the S3 store is unavailable")
	// ErrCredentials is returned if the credentials are missing, wrong or insufficient, and
	// ErrNoBucket if the bucket is missing. Both wrap ErrUnavailable, because the same call may
	// succeed once the configuration is corrected.
	ErrCredentials error = &configError{"the S3 store refuses the credentials", ErrUnavailable}
	ErrNoBucket    error = &configError{"the S3 store has no such bucket", ErrUnavailable}
	// errNoCredentials is returned if the credentials are missing. It wraps ErrCredentials.
	errNoCredentials error = &configError{"no credentials for the S3 store were found", ErrCredentials}
)

// configError is an error of the configuration of an S3 store. Its message does not contain the
// message of the wrapped error.
type configError struct {
	text string
	// kind is the error that Unwrap returns.
	kind error
}

// Error returns the message.
func (e *configError) Error() string { return e.text }

// Unwrap returns the more general error, such as ErrUnavailable.
func (e *configError) Unwrap() error { return e.kind }

// incompleteSuffix is the end of the name of a blob that is still being written.
const incompleteSuffix = ".part"

// Store stores blobs. It is safe for concurrent use, and several processes may
// share the folder or bucket.
type Store struct {
	backend
	// process is the name of this process, with which the keys of new blobs begin.
	process string
	// fixed is true if the location is configured, and false if the folder may move.
	fixed bool
	// observer is nil until Observe is called.
	observer atomic.Pointer[callObserver]

	mu sync.Mutex
	// undeleted are the blobs that Delete has failed to delete, including incomplete blobs. The
	// next call of Delete tries again.
	undeleted []listedBlob
}

// backend stores blobs in a folder or in a bucket. The name of a blob is its key. The identity of
// the store is a blob with the name identityName. The methods return the errors of this package,
// such as ErrNotFound.
type backend interface {
	// Location returns the path or URL of the folder or bucket, for messages.
	Location() string
	// create returns a sink for a new blob. Writes to it fail once ctx is done.
	create(ctx context.Context, name string) (sink, error)
	// open opens the blob, even if it is an orphan: a blob that no row of the database references.
	// Reads fail once ctx is done.
	open(ctx context.Context, name string) (*Reader, error)
	// remove removes the blob, even if it is an orphan. It may return ErrNotFound if the
	// blob does not exist.
	remove(ctx context.Context, name string) error
	// eachBatch lists all blobs, including orphans and incomplete blobs. It calls fn with one batch
	// of blobs after the other. The function fn may call discard, setOrphan and unsetOrphan.
	eachBatch(ctx context.Context, fn func([]listedBlob) error) error
	// discard removes an incomplete blob or an orphan that eachBatch has listed.
	discard(ctx context.Context, e listedBlob) error
	// setOrphan makes a blob an orphan, from the time now. unsetOrphan makes it an ordinary blob
	// again.
	setOrphan(ctx context.Context, name string, now time.Time) error
	unsetOrphan(ctx context.Context, name string) error
}

// sink receives the bytes of a blob that is being written.
type sink interface {
	io.Writer
	// commit makes the blob durable and visible. After an error, abort is called.
	commit() error
	// abort removes what was written. It is called at most once, and not after a successful commit.
	// left describes what could not be removed.
	abort() (left []listedBlob, err error)
}

// listedBlob describes a blob that a backend has listed, or that could not be removed.
type listedBlob struct {
	// name is the key of the blob. For an incomplete blob, a suffix follows the key.
	name string
	// size is the size of the blob in bytes.
	size int64
	// incomplete is true if the blob was not committed.
	incomplete bool
	// upload is the ID of the multipart upload of an incomplete blob in an S3 store.
	upload string
	// orphaned is when the blob became an orphan. It is zero if the blob is not an orphan.
	orphaned time.Time
}

// OpenFolder opens a folder of blobs and creates it if missing. process is the name of this
// process. The keys of new blobs begin with this name, so it must consist of lower-case letters
// and digits. The folder may move, so its path is not in its identity; see [Store.FixedLocation].
func OpenFolder(dir, process string) (*Store, error) {
	if !isAlphanumeric(process) {
		return nil, fmt.Errorf("%w: process name %q", ErrInvalidKey, process)
	}
	f, err := openFolder(dir, process)
	if err != nil {
		return nil, err
	}
	return &Store{backend: f, process: process}, nil
}

// Info describes a blob.
type Info struct {
	Key string
	// Size is the size of the blob in bytes.
	Size   int64
	SHA256 string // in hex
}

// Writer writes one blob.
type Writer struct {
	store *Store
	ctx   context.Context
	sink  sink
	info  Info
	sum   hash.Hash
	// done is true after Commit or Abort.
	done  bool
	timer callTimer
}

// Create returns a writer of a new blob. The caller must call Commit or Abort.
// Writes fail once ctx is done.
func (s *Store) Create(ctx context.Context) (*Writer, error) {
	return s.CreateWithKey(ctx, s.newKey())
}

// CreateWithKey is like [Store.Create], but the new blob has the given key. It is used to copy
// a blob from another store. Commit replaces an existing blob with this key.
func (s *Store) CreateWithKey(ctx context.Context, key string) (*Writer, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	w := &Writer{store: s, ctx: ctx, info: Info{Key: key}, sum: sha256.New(), timer: s.startCall(ctx, CallWrite)}
	_, err := w.timer.measure(func() (_ int, err error) {
		w.sink, err = s.create(ctx, key)
		return 0, err
	})
	if err != nil {
		w.timer.end()
		return nil, err
	}
	return w, nil
}

func (s *Store) newKey() string { return s.process + "-" + strings.ToLower(rand.Text()) }

// Write appends to the blob. It returns ErrDiskFull if there is no space left.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.timer.measure(func() (int, error) { return w.sink.Write(p) })
	w.sum.Write(p[:n])
	w.info.Size += int64(n)
	return n, err
}

// Commit makes the blob durable and visible under its key. If this fails, Commit removes the blob,
// as [Writer.Abort] does.
func (w *Writer) Commit() (Info, error) {
	err := w.ctx.Err()
	if err == nil {
		_, err = w.timer.measure(func() (int, error) { return 0, w.sink.commit() })
	}
	if err != nil {
		w.Abort()
		return Info{}, err
	}
	w.done = true
	w.timer.end()
	w.info.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	return w.info, nil
}

// Abort removes the blob unless it was committed. It may be called more than once. If the removal
// fails, the next call of [Store.Delete] or [Store.Sweep] tries again.
func (w *Writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	w.timer.end()
	left, _ := w.sink.abort() // what could not be removed is removed later
	w.store.rememberUndeleted(left...)
}

// Reader reads one blob. It can seek.
type Reader struct {
	io.ReadSeekCloser
	// Size is the size of the blob in bytes. ModTime is when the blob was last written.
	Size    int64
	ModTime time.Time
}

// Open opens a blob for reading. Reads fail after ctx is done. The caller must close the
// reader.
func (s *Store) Open(ctx context.Context, key string) (*Reader, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	timer := s.startCall(ctx, CallRead)
	var r *Reader
	_, err := timer.measure(func() (_ int, err error) {
		r, err = s.open(ctx, key)
		return 0, err
	})
	if err != nil {
		timer.end()
		return nil, err
	}
	r.ReadSeekCloser = &measuredReader{r.ReadSeekCloser, timer}
	return r, nil
}

// Delete removes blobs. A blob that does not exist is not an error. If Delete fails to remove a
// blob, the next calls of Delete or [Store.Sweep] try again.
func (s *Store) Delete(ctx context.Context, keys ...string) error {
	var blobs []listedBlob
	var errs []error
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			errs = append(errs, err)
			continue
		}
		blobs = append(blobs, listedBlob{name: key})
	}
	first := len(blobs) // the index of the first blob that an earlier call failed to remove
	s.mu.Lock()
	blobs = append(blobs, s.undeleted...)
	s.undeleted = nil
	s.mu.Unlock()
	for i, b := range blobs {
		err := s.removeMeasured(ctx, b)
		if err == nil || errors.Is(err, ErrNotFound) {
			continue
		}
		errs = append(errs, err)
		// The other blobs would probably fail, too. The next call begins with another blob.
		if i >= first || errors.Is(err, ErrUnavailable) || ctx.Err() != nil {
			s.rememberUndeleted(append(blobs[i+1:], b)...)
			break
		}
		s.rememberUndeleted(b)
	}
	return errors.Join(errs...)
}

func (s *Store) removeMeasured(ctx context.Context, b listedBlob) error {
	return s.measureCall(ctx, CallDelete, func() error {
		if b.incomplete {
			return s.discard(ctx, b)
		}
		return s.remove(ctx, b.name)
	})
}

func (s *Store) rememberUndeleted(blobs ...listedBlob) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.undeleted = append(s.undeleted, blobs...)
}

// checkKey returns ErrInvalidKey unless key has the form PROCESS-NAME, with lower-case letters
// and digits. Therefore no key can refer to a file outside the folder.
func checkKey(key string) error {
	process, name, ok := strings.Cut(key, "-")
	if !ok || !isAlphanumeric(process) || !isAlphanumeric(name) {
		return fmt.Errorf("%w: %q", ErrInvalidKey, key)
	}
	return nil
}

// isAlphanumeric reports whether s is not empty and consists only of lower-case letters and
// digits.
func isAlphanumeric(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
