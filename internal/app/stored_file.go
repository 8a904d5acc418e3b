package app

import (
	"context"
	"errors"
	"io"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/clamav"
	"foretell/internal/job"
	"foretell/internal/store"
)

// fileKindTexts has two texts for messages about each kind of stored file. The first, noun, is
// followed in messages by the key of the dataset, model or prediction that has the file. The
// second, replacement, says how to replace the file without a backup.
var fileKindTexts = map[string]struct{ noun, replacement string }{
	store.CSVFile:    {"the CSV of dataset", "upload the data again as a new dataset"},
	store.ModelFile:  {"the file of model", "train again"},
	store.BlindFile:  {"the blind CSV of prediction", "predict again"},
	store.ResultFile: {"the result of prediction", "predict again"},
}

func csvFile(d *store.Dataset) *store.OwnedFile {
	return &store.OwnedFile{File: d.File, Kind: store.CSVFile, Key: d.Key}
}

func modelFile(m *store.Model) *store.OwnedFile {
	return &store.OwnedFile{File: m.File, Kind: store.ModelFile, Key: m.Key}
}

func blindFile(p *store.Prediction) *store.OwnedFile {
	return &store.OwnedFile{File: p.Blind, Kind: store.BlindFile, Key: p.Key}
}

func resultFile(p *store.Prediction) *store.OwnedFile {
	return &store.OwnedFile{File: p.Result, Kind: store.ResultFile, Key: p.Key}
}

// readVerifiedFile calls use with a reader of a stored file and the size of the file. If the
// file is missing or corrupt, readVerifiedFile returns a problem with CodeDamaged instead of
// the error of use, because the damage may have caused that error. If the file has no
// checksum, because an earlier version stored it, readVerifiedFile stores the checksum after
// use has succeeded.
func (a *App) readVerifiedFile(ctx context.Context, f *store.OwnedFile, use func(r io.Reader, size int64) error) error {
	r, err := a.blobs.OpenVerified(ctx, toBlobInfo(f.File))
	if err != nil {
		return a.damagedProblem(ctx, err, f)
	}
	defer func() { _ = r.Close() }()
	err = use(r, r.Size)
	if ctx.Err() != nil || errors.Is(err, clamav.ErrUnavailable) { // the job will read the file again
		return err
	}
	if damage := r.Verify(); damage != nil {
		return a.damagedProblem(ctx, damage, f)
	}
	if err == nil && f.SHA256 == "" {
		a.storeChecksum(ctx, f, r)
	}
	return err
}

// errMalware is wrapped by the error of scanForMalware for a file that contains malware.
var errMalware = errors.New("malware")

// scanForMalware sends a stored file to Config.Scanner, if there is one. If the file contains
// malware, or if the scanner did not scan all of it, it returns a problem for users. If the scanner
// is unavailable, it returns clamav.ErrUnavailable.
func (a *App) scanForMalware(ctx context.Context, f *store.OwnedFile) error {
	if a.scanner == nil {
		return nil
	}
	signature := ""
	err := a.readVerifiedFile(ctx, f, func(r io.Reader, _ int64) (err error) {
		signature, err = a.scanner.Scan(ctx, r)
		return err
	})
	switch {
	case errors.Is(err, clamav.ErrLimit):
		a.log.ErrorContext(ctx, "a file exceeds a limit of the malware scanner: increase StreamMaxLength, MaxFileSize and MaxScanSize in clamd.conf", "file", f.Blob, "bytes", f.Bytes, "error", err)
		return api.NewProblem(api.CodeTooLarge, "the malware scanner of the service did not scan the whole file of %d bytes, so the file was deleted: "+
			"upload fewer rows or columns, or ask the operator to increase the scanner's limits", f.Bytes).WithCause(err)
	case signature != "":
		a.log.WarnContext(ctx, "malware found", "of", fileKindTexts[f.Kind].noun+" "+f.Key, "signature", signature, "sha256", f.SHA256)
		return api.NewProblem(api.CodeInvalid, "the malware scanner of the service found %s in the file, so the file was deleted", signature).WithCause(errMalware)
	}
	return err
}

// recordMalware adds an audit event with the given action if cause wraps errMalware. cause is the
// error of the job j.
func (a *App) recordMalware(ctx context.Context, t *store.Tx, j *job.Job, action string, cause error) error {
	if !errors.Is(cause, errMalware) {
		return nil
	}
	return a.RecordRefusedFile(ctx, t, j.Account, action, j.Subject)
}

// MalwareScans returns the numbers of scans of this process by result; see [clamav.Client.Counts].
// It returns nil if no file is scanned.
func (a *App) MalwareScans() map[string]int64 {
	if a.scanner == nil {
		return nil
	}
	return a.scanner.Counts()
}

// storeChecksum stores the size and checksum of a file. r must have read the file to its end.
func (a *App) storeChecksum(ctx context.Context, f *store.OwnedFile, r *blob.VerifiedReader) {
	summed := *f
	summed.Bytes, summed.SHA256 = r.Size, r.SHA256()
	err := a.store.Write(ctx, func(t *store.Tx) error { return t.SetMissingChecksum(ctx, &summed) })
	if err != nil && ctx.Err() == nil { // the next read stores it
		a.log.WarnContext(ctx, "cannot store the checksum of a file; the next read of the file stores it", "file", f.Blob, "error", err)
	}
}

// damagedProblem converts the error of a corrupt or missing file to a problem that names the
// dataset, model or prediction that the file belongs to. It also logs the key of the blob. It returns
// other errors unchanged.
func (a *App) damagedProblem(ctx context.Context, err error, f *store.OwnedFile) error {
	how := ""
	switch {
	case errors.Is(err, blob.ErrNotFound):
		how = "missing from the stored files"
	case errors.Is(err, blob.ErrDamaged):
		how = err.Error()
	default:
		return err
	}
	kind := fileKindTexts[f.Kind]
	a.log.ErrorContext(ctx, "damaged file", "file", f.Blob, "of", kind.noun+" "+f.Key, "error", err)
	return api.NewProblem(api.CodeDamaged, "%s %s is %s: restore it from a backup, or %s", kind.noun, f.Key, how, kind.replacement).WithCause(err)
}

// openDownload opens a stored file for a download and sets the fields of file that depend on
// it. The file belongs to the account with the key owner. If the file is missing, openDownload
// calls checkOwner, which must return an error if the model or prediction of the file was
// deleted. Then openDownload returns this error.
func (a *App) openDownload(ctx context.Context, f *store.OwnedFile, file File, owner string, checkOwner func() error) (*File, error) {
	r, err := a.blobs.Open(ctx, f.Blob)
	if errors.Is(err, blob.ErrNotFound) {
		if deleted := checkOwner(); deleted != nil {
			return nil, deleted
		}
	}
	if err != nil {
		return nil, a.problems.Convert(a.damagedProblem(ctx, err, f))
	}
	file.ReadSeekCloser, file.Size = r, r.Size
	file.BeforeSend = func(ctx context.Context, partial bool) error {
		if err := a.RecordDownload(ctx, owner, f.Kind+".download", f.Key); err != nil {
			return err
		}
		return a.verifyStoredFile(ctx, f, partial)
	}
	return &file, nil
}

// verifyStoredFile reads a stored file and verifies its checksum. It does so for every
// download, because corruption on the disk does not change the modification time. There is one
// exception: if only a part of the file will be sent, and the file was verified in the last
// minute, it is not read again. Therefore small requests do not cause large reads.
func (a *App) verifyStoredFile(ctx context.Context, f *store.OwnedFile, partial bool) error {
	if partial && a.recentlyVerified.Has(f.Blob, a.now()) {
		return nil
	}
	err := a.readVerifiedFile(ctx, f, func(io.Reader, int64) error { return nil })
	if err == nil {
		a.recentlyVerified.Add(f.Blob, a.now())
	}
	return a.problems.Convert(err)
}

func toBlobInfo(f store.File) blob.Info {
	return blob.Info{Key: f.Blob, Size: f.Bytes, SHA256: f.SHA256}
}
