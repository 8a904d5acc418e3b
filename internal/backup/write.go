package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"foretell/internal/blob"
	"foretell/internal/spill"
	"foretell/internal/store"
)

// ServiceData is a database and the stored files that belong to it.
type ServiceData struct {
	Store *store.Store
	Blobs *blob.Store
	// TempDir is the folder for temporary files. Defaults to [os.TempDir].
	TempDir string
}

// Write writes a backup of a service to w. The service may be running. program is the version of
// this program, and now is the time of the backup. The summary lists the files that are damaged or
// missing. The backup has as much of a damaged file as can be read.
func Write(ctx context.Context, w io.Writer, from ServiceData, program string, now time.Time) (*Summary, error) {
	header := Header{Format: formatVersion, Schema: from.Store.Migration().To, Program: program, Created: now.UTC().Truncate(time.Second)}
	archive, err := newArchiveWriter(w, from.TempDir, header.Created)
	if err != nil {
		return nil, err
	}
	defer func() { _ = archive.close() }() // an error is harmless, because the file was only read
	b := &backupWriter{from: from, archive: archive, summary: Summary{Header: header}, copied: map[string]bool{}, absent: map[string]int{}, vanished: map[string]int{}}
	if err := b.addJSON(headerName, header); err != nil {
		return nil, err
	}
	defer b.closeTables()
	for complete := false; !complete; {
		b.round++
		if complete, err = b.takeSnapshot(ctx); err != nil {
			return nil, err
		}
	}
	return &b.summary, b.finish()
}

// backupWriter is the state of Write.
type backupWriter struct {
	from    ServiceData
	archive *archiveWriter
	summary Summary
	// copied holds the keys of the files that are in the backup or were listed as damaged.
	copied map[string]bool
	// round is the number of snapshots so far.
	round int
	// absent has the keys of files that could not be copied because they were missing. The value is
	// the round in which this happened. If such a file is missing again in a later round, and the
	// snapshot of that round still references the file, the file is listed as damaged.
	absent map[string]int
	// vanished has the keys of files that were deleted while they were copied, so that their copies
	// are incomplete. The value is the round in which this happened. Such a file is listed as
	// damaged if the last snapshot references it.
	vanished map[string]int
	// tables holds one temporary file for each table, with the rows of the table in the most recent snapshot.
	tables []*spill.TempFile
}

const (
	// briefRounds is the number of snapshots that end before their files are copied, because
	// copying can take hours. Later snapshots stay open until all their files are copied. Otherwise
	// the backup of a busy service would never be complete.
	briefRounds = 3
	// maxRounds is the maximum number of snapshots. Files that were deleted before they were copied
	// are then listed as damaged.
	maxRounds = 20
)

// takeSnapshot takes a snapshot of the rows, and copies the referenced files that are not yet in
// the backup. If the backup then has all files of the snapshot, it writes the rows to b.tables and
// returns true. It returns false if the snapshot ended before its files were copied, or if a file
// was deleted before it was copied.
func (b *backupWriter) takeSnapshot(ctx context.Context) (complete bool, err error) {
	var missing []*store.OwnedFile
	err = b.from.Store.ReadSnapshot(ctx, func(t *store.Tx) (err error) {
		if b.round > briefRounds { // the files of queued predictions come first, because each is deleted as soon as its prediction ends
			if missing, _, err = b.findFiles(ctx, t.EachQueuedFile); err == nil {
				err = b.addFiles(ctx, missing)
			}
			if err != nil {
				return err
			}
		}
		var vanished []*store.OwnedFile
		missing, vanished, err = b.findFiles(ctx, t.EachFile)
		if err != nil || len(missing) > 0 && b.round <= briefRounds {
			return err
		}
		if err := b.addFiles(ctx, missing); err != nil {
			return err
		}
		if complete = b.listLostFiles(append(missing, vanished...)); complete {
			err = b.dumpTables(ctx, t)
		}
		missing = nil
		return err
	})
	if err == nil {
		err = b.addFiles(ctx, missing)
	}
	return complete, err
}

// findFiles returns the files of a snapshot that are not yet in the backup, and the files that were
// deleted while they were copied. The function each must call its argument with every file of the
// snapshot.
func (b *backupWriter) findFiles(ctx context.Context, each func(context.Context, func(*store.OwnedFile) error) error) (missing, vanished []*store.OwnedFile, err error) {
	err = each(ctx, func(f *store.OwnedFile) error {
		switch {
		case b.vanished[f.Blob] > 0:
			vanished = append(vanished, f)
		case f.Blob != "" && !b.copied[f.Blob]:
			missing = append(missing, f)
		}
		return nil
	})
	return missing, vanished, err
}

// listLostFiles handles the files of a snapshot that were deleted before they were copied. If one
// of them was deleted in the current round, it returns false, because the next snapshot may no
// longer reference this file. Otherwise, and always after maxRounds, it lists the files as damaged
// and returns true.
func (b *backupWriter) listLostFiles(files []*store.OwnedFile) (complete bool) {
	var lost []*store.OwnedFile
	for _, f := range files {
		if b.round < maxRounds && (b.absent[f.Blob] == b.round || b.vanished[f.Blob] == b.round) {
			return false
		}
		if !b.copied[f.Blob] || b.vanished[f.Blob] > 0 {
			lost = append(lost, f)
		}
	}
	for _, f := range lost {
		b.listAsDamaged(f, "missing")
	}
	return true
}

// dumpTables writes the rows of the snapshot to b.tables.
func (b *backupWriter) dumpTables(ctx context.Context, t *store.Tx) error {
	for _, table := range store.SnapshotTables() {
		if err := b.dumpTable(ctx, t, table); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	return nil
}

// dumpTable writes the rows of a table to a temporary file, and appends the file to b.tables.
func (b *backupWriter) dumpTable(ctx context.Context, t *store.Tx, table string) error {
	file, err := spill.CreateTemp(b.from.TempDir)
	if err != nil {
		return err
	}
	b.tables = append(b.tables, file)
	lines := &bufferedWriter{w: file}
	err = t.EachRow(ctx, table, func(columns []string) error {
		return json.NewEncoder(lines).Encode(columns)
	}, func(values []any) error {
		b.summary.Rows++
		return encodeRow(lines, values)
	})
	return errors.Join(err, lines.flush())
}

// bufferedWriter collects small writes, and writes them to w in blocks of about 64 KiB. The
// caller must call flush at the end.
type bufferedWriter struct {
	w   io.Writer
	buf bytes.Buffer
}

func (l *bufferedWriter) Write(p []byte) (int, error) {
	n, err := l.buf.Write(p)
	if err == nil && l.buf.Len() > 1<<16 {
		err = l.flush()
	}
	return n, err
}

func (l *bufferedWriter) flush() error {
	_, err := l.buf.WriteTo(l.w)
	return err
}

// addFiles adds stored files to the backup.
func (b *backupWriter) addFiles(ctx context.Context, files []*store.OwnedFile) error {
	for _, f := range files {
		if err := b.addFile(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// addFile adds a stored file to the backup. If the file is missing, addFile returns without an
// error, because its row may have been deleted since the snapshot. If it was already missing in an
// earlier round, addFile lists it as damaged.
func (b *backupWriter) addFile(ctx context.Context, f *store.OwnedFile) error {
	r, err := b.from.Blobs.Open(ctx, f.Blob)
	switch {
	case errors.Is(err, blob.ErrNotFound) && (b.absent[f.Blob] == 0 || b.absent[f.Blob] == b.round):
		b.absent[f.Blob] = b.round
		return nil
	case errors.Is(err, blob.ErrNotFound):
		b.listAsDamaged(f, "missing")
		return nil
	case err != nil:
		return err
	}
	defer func() { _ = r.Close() }() // an error is harmless, because the file was only read
	sum, err := b.archive.addEntry(filePrefix+f.Blob, r.Size, contextReader{ctx, r})
	var broken *contentError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &broken) && errors.Is(err, blob.ErrNotFound):
		b.vanished[f.Blob] = b.round
	case errors.As(err, &broken) && !errors.Is(err, blob.ErrUnavailable):
		b.listAsDamaged(f, broken.Error())
	case err != nil:
		return err
	case f.SHA256 != "" && (sum != f.SHA256 || r.Size != f.Bytes):
		b.listAsDamaged(f, "differs from what was stored")
	}
	b.copied[f.Blob] = true
	b.summary.Files++
	b.summary.Bytes += r.Size
	return nil
}

func (b *backupWriter) listAsDamaged(f *store.OwnedFile, reason string) {
	b.copied[f.Blob] = true
	b.summary.Damaged = append(b.summary.Damaged, DamagedFile{Blob: f.Blob, Kind: f.Kind, Owner: f.Key, Reason: reason})
}

func (b *backupWriter) addJSON(name string, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	_, err = b.archive.addEntry(name, int64(len(text)), bytes.NewReader(text))
	return err
}

// finish adds the rows, the list of damaged files, the checksums and the trailer, and ends the archive.
func (b *backupWriter) finish() error {
	for i, table := range store.SnapshotTables() {
		if err := b.archive.addTempFile(rowsPrefix+table+rowsSuffix, b.tables[i]); err != nil {
			return err
		}
	}
	if err := b.addJSON(damagedName, append([]DamagedFile{}, b.summary.Damaged...)); err != nil {
		return err
	}
	if err := b.archive.addTempFile(sumsName, b.archive.checksumLines); err != nil {
		return err
	}
	sum, err := b.archive.checksum()
	if err != nil {
		return err
	}
	if err := b.addJSON(endName, trailer{SHA256: sum, Rows: b.summary.Rows, Files: b.summary.Files, Bytes: b.summary.Bytes}); err != nil {
		return err
	}
	return b.archive.tar.Close()
}

func (b *backupWriter) closeTables() {
	for _, file := range b.tables {
		_ = file.Close() // an error is harmless, because the file was only read
	}
}
