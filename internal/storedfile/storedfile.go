// Package storedfile reads the files of datasets, models and predictions, and verifies them. It
// also compares the stored files with the database, and removes files that nothing needs any more.
package storedfile

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/clamav"
	"foretell/internal/store"
	"foretell/internal/turn"
)

// fileKindTexts holds two texts for messages about each kind of stored file. In a message, the text
// noun precedes the key of the dataset, model or prediction that owns the file. The text
// replacement says how to replace the file without a backup.
var fileKindTexts = map[string]struct{ noun, replacement string }{
	store.CSVFile:    {"the CSV of dataset", "upload the data again as a new dataset"},
	store.ModelFile:  {"the file of model", "train again"},
	store.BlindFile:  {"the blind CSV of prediction", "predict again"},
	store.ResultFile: {"the result of prediction", "predict again"},
}

// CSV returns the file of a dataset.
func CSV(d *store.Dataset) *store.OwnedFile {
	return &store.OwnedFile{File: d.File, Kind: store.CSVFile, Key: d.Key}
}

// Model returns the file of a model.
func Model(m *store.Model) *store.OwnedFile {
	return &store.OwnedFile{File: m.File, Kind: store.ModelFile, Key: m.Key}
}

// Blind returns the CSV that a prediction is for.
func Blind(p *store.Prediction) *store.OwnedFile {
	return &store.OwnedFile{File: p.Blind, Kind: store.BlindFile, Key: p.Key}
}

// Result returns the result of a prediction.
func Result(p *store.Prediction) *store.OwnedFile {
	return &store.OwnedFile{File: p.Result, Kind: store.ResultFile, Key: p.Key}
}

// Config configures Files. All fields but Scanner are required.
type Config struct {
	Store *store.Store
	Blobs *blob.Store
	Now   func() time.Time
	// Rand is the source of random bytes for the identity of new files.
	Rand io.Reader
	Log  *slog.Logger
	// Scanner scans uploaded files for malware. Nil means that no file is scanned.
	Scanner *clamav.Client
}

// Files writes, reads, verifies and deletes stored files. It is safe for concurrent use.
type Files struct {
	store   *store.Store
	blobs   *blob.Store
	now     func() time.Time
	rand    io.Reader
	log     *slog.Logger
	scanner *clamav.Client

	recentlyVerified  blob.RecentlyVerified        // the files that were read for downloads
	verifying         *turn.FairSemaphore          // limits how many files are verified at a time for downloads
	orphansAfterSweep atomic.Pointer[blob.Orphans] // see OrphansAfterSweep
}

// maxVerifications is the maximum number of files that are verified at a time for downloads.
const maxVerifications = 2

// New returns Files. Before the files are read, the caller must call [Files.MatchIdentity].
func New(c Config) *Files {
	return &Files{store: c.Store, blobs: c.Blobs, now: c.Now, rand: c.Rand, log: c.Log, scanner: c.Scanner, verifying: turn.NewFairSemaphore(maxVerifications)}
}

// Create returns the writer of a new file. When the writer has committed, [FromInfo] describes the
// file.
func (f *Files) Create(ctx context.Context) (*blob.Writer, error) { return f.blobs.Create(ctx) }

// FromInfo converts the description of a blob to a store.File.
func FromInfo(info blob.Info) store.File {
	return store.File{Blob: info.Key, Bytes: info.Size, SHA256: info.SHA256}
}

func toInfo(file store.File) blob.Info {
	return blob.Info{Key: file.Blob, Size: file.Bytes, SHA256: file.SHA256}
}

// Open opens a stored file for reading from any position. If the file is missing or was deleted, it
// returns the same problems as [Files.Read]. Open does not verify the file.
func (f *Files) Open(ctx context.Context, file *store.OwnedFile) (*blob.Reader, error) {
	r, err := f.blobs.Open(ctx, file.Blob)
	if err != nil {
		return nil, f.damagedProblem(ctx, err, file)
	}
	return r, nil
}

// OpenVerified opens a file that belongs to no dataset, model or prediction. The reader does not
// report damage until the caller calls its method Verify.
func (f *Files) OpenVerified(ctx context.Context, file store.File) (*blob.VerifiedReader, error) {
	return f.blobs.OpenVerified(ctx, toInfo(file))
}

// Read calls fn with a reader of a stored file and the size of the file. If the file is missing or
// corrupt, it returns a problem with CodeDamaged, whatever fn returned, because the damage may have
// caused that error. If the file was deleted since the caller read its row, the problem has
// CodeNotFound. After fn has succeeded, Read stores the checksum of a file that an earlier version
// stored without one.
func (f *Files) Read(ctx context.Context, file *store.OwnedFile, fn func(r io.Reader, size int64) error) error {
	r, err := f.blobs.OpenVerified(ctx, toInfo(file.File))
	if err != nil {
		return f.damagedProblem(ctx, err, file)
	}
	defer func() { _ = r.Close() }()
	err = fn(r, r.Size)
	if ctx.Err() != nil || errors.Is(err, clamav.ErrUnavailable) { // the job will read the file again
		return err
	}
	if damage := r.Verify(); damage != nil {
		return f.damagedProblem(ctx, damage, file)
	}
	if err == nil && file.SHA256 == "" {
		f.storeChecksum(ctx, file, r)
	}
	return err
}

// storeChecksum stores the size and checksum of a file. r must have read the file to its end.
func (f *Files) storeChecksum(ctx context.Context, file *store.OwnedFile, r *blob.VerifiedReader) {
	summed := *file
	summed.Bytes, summed.SHA256 = r.Size, r.SHA256()
	err := f.store.Write(ctx, func(t *store.Tx) error { return t.SetMissingChecksum(ctx, &summed) })
	if err != nil && ctx.Err() == nil { // the next read stores it
		f.log.WarnContext(ctx, "cannot store the checksum of a file; the next read of the file stores it", "file", file.Blob, "error", err)
	}
}

// damagedProblem converts the error of a corrupt or missing file to a problem that names the owner
// of the file: a dataset, model or prediction. If the file was deleted, the problem says so.
// Otherwise damagedProblem also logs the key of the blob. It returns other errors unchanged.
func (f *Files) damagedProblem(ctx context.Context, err error, file *store.OwnedFile) error {
	how := ""
	switch {
	case errors.Is(err, blob.ErrNotFound):
		if deleted := f.checkReferenced(ctx, file); deleted != nil {
			return deleted
		}
		how = "missing from the stored files"
	case errors.Is(err, blob.ErrDamaged):
		how = err.Error()
	default:
		return err
	}
	kind := fileKindTexts[file.Kind]
	f.log.ErrorContext(ctx, "damaged file", "file", file.Blob, "of", kind.noun+" "+file.Key, "error", err)
	return api.NewProblem(api.CodeDamaged, "%s %s is %s: %s, or %s", kind.noun, file.Key, how, api.RestoreFileAdvice, kind.replacement).WithCause(err)
}

// checkReferenced returns a problem with CodeNotFound if no row references the file any more. A row
// is deleted before its file, so a missing file that a row references is damaged.
func (f *Files) checkReferenced(ctx context.Context, file *store.OwnedFile) error {
	referenced := false
	err := f.store.ReadOneStatement(ctx, func(t *store.Tx) (err error) {
		referenced, err = t.IsFileReferenced(ctx, file)
		return err
	})
	if err == nil && !referenced {
		err = api.NewProblem(api.CodeNotFound, "%s %s was deleted", fileKindTexts[file.Kind].noun, file.Key)
	}
	return err
}

// Verify reads a stored file and verifies its checksum before a download, because corruption on the
// disk does not change the modification time. It does not read a file again that was verified in the
// last minute. At most two files are verified at a time, and only one of each account; see
// [turn.FairSemaphore]. Therefore many requests for large files do not delay other requests. account
// is the key of the account that owns the file.
func (f *Files) Verify(ctx context.Context, file *store.OwnedFile, account string) error {
	if f.recentlyVerified.Has(file.Blob, f.now()) {
		return nil
	}
	return f.verifying.Do(ctx, account, func() error {
		if f.recentlyVerified.Has(file.Blob, f.now()) { // by a concurrent request
			return nil
		}
		err := f.Read(ctx, file, func(io.Reader, int64) error { return nil })
		if err == nil {
			f.recentlyVerified.Add(file.Blob, f.now())
		}
		return err
	})
}

// NewUnreadableProblem returns the problem of an undamaged file that cannot be decoded because of
// cause.
func NewUnreadableProblem(file *store.OwnedFile, cause error) error {
	kind := fileKindTexts[file.Kind]
	return api.NewProblem(api.CodeDamaged, "%s %s cannot be read (%v): %s, or %s",
		kind.noun, file.Key, cause, api.RestoreFileAdvice, kind.replacement).WithCause(cause)
}
