package backup

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"foretell/internal/blob"
	"foretell/internal/humanize"
	"foretell/internal/store"
)

const (
	// rowsPerInsert is the number of rows that are inserted by one statement.
	rowsPerInsert = 50
	// maxHeaderBytes is the maximum size in bytes of the first and the last entry, and
	// maxDamagedListBytes of the list of damaged files.
	maxHeaderBytes      = 1 << 16
	maxDamagedListBytes = 1 << 30
)

// Verify reads a whole backup, and returns ErrDamaged if the backup is not as [Write] wrote it.
// tempDir is the folder for temporary files, and defaults to [os.TempDir].
func Verify(ctx context.Context, r io.Reader, tempDir string) (*Summary, error) {
	b := &restorer{}
	return b.restoreOrVerify(ctx, r, tempDir, func(Header) (*ServiceData, error) { return nil, nil }) //nolint:nilnil // nil: restores nothing
}

// Restore restores a backup into the database and storage that open returns. The database must
// have the schema version of the header. now is the time since which the restored jobs count as
// waiting. For tempDir, see [Verify]. If the database or the storage is not empty, Restore changes
// nothing and returns ErrNotEmpty.
//
// After any other error, it deletes what it wrote, unless the database or the storage became
// unavailable. It keeps files that rows reference, because another process may have restored the
// same backup.
func Restore(ctx context.Context, r io.Reader, tempDir string, now time.Time, open func(Header) (*ServiceData, error)) (*Summary, error) {
	b := &restorer{now: now}
	return b.restoreOrVerify(ctx, r, tempDir, open)
}

// restorer is the state of Restore and Verify.
type restorer struct {
	archive *archiveReader
	into    *ServiceData // nil to verify only
	now     time.Time    // zero to verify only
	summary Summary
	// files are the keys of the files in the backup.
	files map[string]bool
}

// restoreOrVerify restores a backup into the database and storage that open returns. If open
// returns nil, it only verifies the backup.
func (b *restorer) restoreOrVerify(ctx context.Context, r io.Reader, tempDir string, open func(Header) (*ServiceData, error)) (_ *Summary, err error) {
	archive, err := newArchiveReader(ctx, r, tempDir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = archive.close() }() // the temporary file is no longer needed
	b.archive, b.files = archive, map[string]bool{}
	if err := b.readHeaderAndAdvance(); err != nil {
		return nil, err
	}
	if b.into, err = open(b.summary.Header); err != nil {
		return nil, err
	}
	if b.into == nil {
		if err := b.readFiles(ctx); err != nil {
			return nil, err
		}
		return &b.summary, b.readRows(ctx, nil)
	}
	if err := b.checkTargetEmpty(ctx); err != nil {
		return nil, err
	}
	if err = b.readFiles(ctx); err == nil {
		err = b.into.Store.WriteWithoutRetry(ctx, func(t *store.Tx) error { return b.insertRowsAndVerify(ctx, t) })
	}
	if errors.Is(err, fs.ErrNotExist) { // see checkFilesRemain
		err = fmt.Errorf("a file was deleted from %s while it was restored: do not restore twice at the same time: %w", b.into.Blobs.Location(), err)
	}
	if err != nil && !errors.Is(err, store.ErrCommitUnknown) {
		err = errors.Join(err, b.deleteFilesWithoutRows(ctx))
	}
	return &b.summary, err
}

// readHeaderAndAdvance reads and checks the first entry, and moves to the next entry.
func (b *restorer) readHeaderAndAdvance() error {
	err := b.archive.nextEntry()
	if errors.Is(err, io.EOF) || err == nil && b.archive.entry.Name != headerName {
		return fmt.Errorf("%w: it does not begin with %s", ErrDamaged, headerName)
	}
	if err != nil {
		return err
	}
	header := &b.summary.Header
	if err := b.readJSON(header, maxHeaderBytes); err != nil {
		return err
	}
	switch {
	case header.Format > formatVersion:
		return fmt.Errorf("%w: its format has version %d, but this version of foretell reads version %d", ErrNewer, header.Format, formatVersion)
	case header.Format < 1 || header.Schema < 1:
		return fmt.Errorf("%w: invalid %s", ErrDamaged, headerName)
	}
	return b.nextEntry()
}

// readJSON decodes the current entry, of at most limit bytes, into content.
func (b *restorer) readJSON(content any, limit int64) error {
	text, err := io.ReadAll(io.LimitReader(b.archive, limit))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, content); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, b.archive.entry.Name, err)
	}
	return nil
}

// checkTargetEmpty returns ErrNotEmpty if the database to restore into has rows, or the storage
// has files. It also clears the identity of the storage, the random text by which a database
// recognises its files. An earlier service may have left it. The restored database gets a new
// identity, so the earlier service no longer starts with this storage.
func (b *restorer) checkTargetEmpty(ctx context.Context) error {
	if err := b.into.Store.ReadSnapshot(ctx, func(t *store.Tx) error { return checkNoRows(ctx, t) }); err != nil {
		return err
	}
	keys, err := b.into.Blobs.Keys(ctx)
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		return fmt.Errorf("%w: %s has %s", ErrNotEmpty, b.into.Blobs.Location(), humanize.Count(len(keys), "stored file"))
	}
	identity, err := b.into.Blobs.Identity(ctx)
	if err != nil || identity == "" {
		return err
	}
	return b.into.Blobs.SetIdentity(ctx, "")
}

func checkNoRows(ctx context.Context, t *store.Tx) error {
	empty, err := t.IsEmpty(ctx)
	if err == nil && !empty {
		return fmt.Errorf("%w: the database has rows", ErrNotEmpty)
	}
	return err
}

// readFiles reads the entries of stored files, and stores the files unless b only verifies the
// backup. It stops at the first entry of another kind.
func (b *restorer) readFiles(ctx context.Context) error {
	for {
		key, ok := strings.CutPrefix(b.archive.entry.Name, filePrefix)
		if !ok {
			return nil
		}
		if b.files[key] {
			return fmt.Errorf("%w: it has %s twice", ErrDamaged, b.archive.entry.Name)
		}
		b.files[key] = true
		b.summary.Files++
		b.summary.Bytes += b.archive.entry.Size
		if b.into != nil {
			if err := b.storeFile(ctx, key); err != nil {
				return err
			}
		}
		if err := b.nextEntry(); err != nil {
			return err
		}
	}
}

// nextEntry moves to the next entry. If the archive has no other entry, it returns ErrDamaged.
func (b *restorer) nextEntry() error {
	err := b.archive.nextEntry()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: it ends early", ErrDamaged)
	}
	return err
}

// storeFile stores the content of the current entry as the blob with this key.
func (b *restorer) storeFile(ctx context.Context, key string) error {
	w, err := b.into.Blobs.CreateWithKey(ctx, key)
	if errors.Is(err, blob.ErrInvalidKey) {
		return damagedError(err)
	}
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := io.Copy(w, b.archive); err != nil {
		return err
	}
	_, err = w.Commit()
	return err
}

// insertRowsAndVerify inserts the rows in the transaction t, verifies the rest of the
// backup, and deletes the restored files that no row references.
func (b *restorer) insertRowsAndVerify(ctx context.Context, t *store.Tx) error {
	if err := checkNoRows(ctx, t); err != nil { // a service may have started meanwhile
		return err
	}
	if err := b.readRows(ctx, t); err != nil {
		return err
	}
	if err := t.ReleaseAllJobs(ctx, b.now); err != nil {
		return err
	}
	unused, err := b.findUnreferencedFiles(ctx, t)
	if err != nil {
		return err
	}
	if err := b.checkFilesRemain(ctx); err != nil {
		return err
	}
	return b.deleteFiles(ctx, func(key string) bool { return unused[key] })
}

// readRows reads the rows of all tables, and inserts them into the database if t is not nil.
// Then it verifies the rest of the backup.
func (b *restorer) readRows(ctx context.Context, t *store.Tx) error {
	for _, table := range store.SnapshotTables() {
		if b.archive.entry.Name != rowsPrefix+table+rowsSuffix {
			continue // a table that the schema of the backup does not have
		}
		n, err := readRows(b.archive, rowsPerInsert, func(columns []string, rows [][]any) error {
			if t == nil {
				return nil
			}
			return t.InsertRows(ctx, table, columns, rows)
		})
		b.summary.Rows += n
		if err != nil {
			return fmt.Errorf("%s: %w", b.archive.entry.Name, translateStoreError(err))
		}
		if err := b.nextEntry(); err != nil {
			return err
		}
	}
	return b.readFinalEntries()
}

// translateStoreError wraps an error of inserting rows in ErrDamaged if it shows that the rows
// are invalid. It returns other errors unchanged.
func translateStoreError(err error) error {
	for _, cause := range []error{store.ErrUnknownColumn, store.ErrExists, store.ErrNotFound} {
		if errors.Is(err, cause) {
			return damagedError(err)
		}
	}
	return err
}

// readFinalEntries reads and verifies the entries after the rows: damaged.json, SHA256SUMS and
// end.json.
func (b *restorer) readFinalEntries() error {
	for _, part := range []struct {
		name string
		read func() error
	}{
		{damagedName, func() error { return b.readJSON(&b.summary.Damaged, maxDamagedListBytes) }},
		{sumsName, b.archive.verifyChecksums},
		{endName, b.verifyTrailer},
	} {
		if b.archive.entry.Name != part.name {
			return fmt.Errorf("%w: %q instead of %s", ErrDamaged, b.archive.entry.Name, part.name)
		}
		if err := part.read(); err != nil {
			return err
		}
		if part.name == endName {
			return nil
		}
		if err := b.nextEntry(); err != nil {
			return err
		}
	}
	return nil
}

// verifyTrailer returns ErrDamaged unless the current entry, end.json, has the checksum of all
// bytes before it, and the correct numbers of rows and files.
func (b *restorer) verifyTrailer() error {
	want, err := json.Marshal(trailer{SHA256: hex.EncodeToString(b.archive.archiveHash.Sum(nil)), Rows: b.summary.Rows, Files: b.summary.Files, Bytes: b.summary.Bytes})
	if err != nil {
		return err
	}
	got, err := io.ReadAll(io.LimitReader(b.archive, maxHeaderBytes))
	if err != nil {
		return err
	}
	if string(got) != string(want)+"\n" {
		return fmt.Errorf("%w: %s does not match the contents", ErrDamaged, endName)
	}
	return b.archive.verifyNothingFollows()
}

// findUnreferencedFiles returns the keys of the restored files that no restored row references,
// because the rows were deleted while the backup was made. It returns ErrDamaged if a row
// references a file that is neither in the backup nor in the list of damaged files.
func (b *restorer) findUnreferencedFiles(ctx context.Context, t *store.Tx) (map[string]bool, error) {
	unused := make(map[string]bool, len(b.files))
	for key := range b.files {
		unused[key] = true
	}
	err := t.EachFile(ctx, func(f *store.OwnedFile) error {
		known := b.files[f.Blob] || f.Blob == "" || slices.ContainsFunc(b.summary.Damaged, func(d DamagedFile) bool { return d.Blob == f.Blob })
		if !known {
			return fmt.Errorf("%w: the file of %s %s is missing", ErrDamaged, f.Kind, f.Key)
		}
		delete(unused, f.Blob)
		return nil
	})
	return unused, err
}

// checkFilesRemain returns an error if a restored file is missing. Another process may have deleted
// it: if two processes restore the same backup, their files have the same keys, and a restore that
// fails deletes its files.
func (b *restorer) checkFilesRemain(ctx context.Context) error {
	keys, err := b.into.Blobs.Keys(ctx)
	if err != nil {
		return err
	}
	remaining := make(map[string]bool, len(keys))
	for _, key := range keys {
		remaining[key] = true
	}
	for key := range b.files {
		if !remaining[key] {
			return fmt.Errorf("the restored file %s was deleted from %s: do not restore twice at the same time", key, b.into.Blobs.Location())
		}
	}
	return nil
}

// deleteFilesWithoutRows deletes the restored files that no row of the database references. It does
// so in one transaction that writes, so that another restore cannot check its files and insert its
// rows in between.
func (b *restorer) deleteFilesWithoutRows(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return b.into.Store.WriteWithoutRetry(ctx, func(t *store.Tx) error {
		referenced := map[string]bool{}
		err := t.EachFile(ctx, func(f *store.OwnedFile) error {
			referenced[f.Blob] = true
			return nil
		})
		if err != nil {
			return err
		}
		return b.deleteFiles(ctx, func(key string) bool { return !referenced[key] })
	})
}

// deleteFiles deletes the restored files for which matches returns true.
func (b *restorer) deleteFiles(ctx context.Context, matches func(key string) bool) error {
	var keys []string
	for key := range b.files {
		if matches(key) {
			keys = append(keys, key)
		}
	}
	return b.into.Blobs.Delete(context.WithoutCancel(ctx), keys...)
}
