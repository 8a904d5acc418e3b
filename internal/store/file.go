package store

import (
	"context"
	"fmt"
)

// File describes a stored file. The zero File means that no file is stored.
type File struct {
	// Blob is the key of the blob that holds the file.
	Blob string
	// Bytes is the size of the file, and SHA256 is its checksum in hex. Both may be unknown for a
	// file that an early release stored: SHA256 is then empty and, except for the CSV of a dataset,
	// Bytes is 0. The service sets them when it next reads the file.
	Bytes  int64
	SHA256 string
}

// The kinds of stored files.
const (
	CSVFile    = "dataset"
	ModelFile  = "model"
	BlindFile  = "blind"
	ResultFile = "result"
)

// OwnedFile is a stored file and its owner.
type OwnedFile struct {
	File
	// Kind is one of the kinds of stored files. Key is the key of the dataset, model or
	// prediction that owns the file.
	Kind, Key string
}

// ListFiles returns every stored file that a row references.
func (t *Tx) ListFiles(ctx context.Context) (files []*OwnedFile, err error) {
	err = t.EachFile(ctx, func(f *OwnedFile) error {
		files = append(files, f)
		return nil
	})
	return files, err
}

// EachFile calls fn with every stored file that a row references.
func (t *Tx) EachFile(ctx context.Context, fn func(*OwnedFile) error) error {
	return t.queryFiles(ctx, fn, `SELECT 'dataset', key, blob, bytes, coalesce(sha256, '') FROM dataset WHERE blob <> ''
		UNION ALL SELECT 'model', key, blob, coalesce(bytes, 0), coalesce(sha256, '') FROM model
		UNION ALL SELECT 'blind', key, blind, coalesce(blind_bytes, 0), coalesce(blind_sha256, '') FROM prediction WHERE blind <> ''
		UNION ALL SELECT 'result', key, result, coalesce(result_bytes, 0), coalesce(result_sha256, '') FROM prediction WHERE result <> ''
		ORDER BY 1, 2`)
}

// EachQueuedFile calls fn with the blind CSV (the rows to predict) of each prediction that is
// queued or running. Unlike EachFile, it does not read all predictions.
func (t *Tx) EachQueuedFile(ctx context.Context, fn func(*OwnedFile) error) error {
	return t.queryFiles(ctx, fn, `SELECT 'blind', p.key, p.blind, coalesce(p.blind_bytes, 0), coalesce(p.blind_sha256, '')
		FROM job JOIN prediction p ON p.key = job.subject WHERE p.blind <> '' ORDER BY p.key`)
}

// queryFiles calls fn with each row of a query whose columns are the fields of an OwnedFile.
func (t *Tx) queryFiles(ctx context.Context, fn func(*OwnedFile) error, query string) error {
	rows, err := t.tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var f OwnedFile
		if err := rows.Scan(&f.Kind, &f.Key, &f.Blob, &f.Bytes, &f.SHA256); err != nil {
			return err
		}
		if err := fn(&f); err != nil {
			return err
		}
	}
	return rows.Err()
}

// IsFileReferenced reports whether the owner of a file still exists and references the file.
func (t *Tx) IsFileReferenced(ctx context.Context, f *OwnedFile) (referenced bool, err error) {
	query, ok := map[string]string{
		CSVFile:    "SELECT EXISTS (SELECT 1 FROM dataset WHERE key = ? AND blob = ?)",
		ModelFile:  "SELECT EXISTS (SELECT 1 FROM model WHERE key = ? AND blob = ?)",
		BlindFile:  "SELECT EXISTS (SELECT 1 FROM prediction WHERE key = ? AND blind = ?)",
		ResultFile: "SELECT EXISTS (SELECT 1 FROM prediction WHERE key = ? AND result = ?)",
	}[f.Kind]
	if !ok {
		return false, fmt.Errorf("unknown kind of file %q", f.Kind)
	}
	err = t.tx.QueryRowContext(ctx, query, f.Key, f.Blob).Scan(&referenced)
	return referenced, err
}

// FileTotal is the number of stored files of a kind that rows reference, and the sum of their sizes.
type FileTotal struct {
	Kind         string
	Files, Bytes int64
}

// SumFiles returns the totals of all kinds of stored files.
func (t *Tx) SumFiles(ctx context.Context) ([]*FileTotal, error) {
	rows, err := t.tx.QueryContext(ctx, `SELECT 'dataset', count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM dataset WHERE blob <> ''
		UNION ALL SELECT 'model', count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM model
		UNION ALL SELECT 'blind', count(*), CAST(coalesce(sum(blind_bytes), 0) AS BIGINT) FROM prediction WHERE blind <> ''
		UNION ALL SELECT 'result', count(*), CAST(coalesce(sum(result_bytes), 0) AS BIGINT) FROM prediction WHERE result <> ''`)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, func(row rowScanner) (*FileTotal, error) {
		var f FileTotal
		return &f, row.Scan(&f.Kind, &f.Files, &f.Bytes)
	})
}

// SetMissingChecksum writes the size and checksum of a file that has no checksum
// yet. It does nothing if the owner was deleted or references another file.
func (t *Tx) SetMissingChecksum(ctx context.Context, f *OwnedFile) error {
	query, ok := map[string]string{
		CSVFile:    "UPDATE dataset SET bytes = ?, sha256 = ? WHERE key = ? AND blob = ? AND sha256 IS NULL",
		ModelFile:  "UPDATE model SET bytes = ?, sha256 = ? WHERE key = ? AND blob = ? AND sha256 IS NULL",
		BlindFile:  "UPDATE prediction SET blind_bytes = ?, blind_sha256 = ? WHERE key = ? AND blind = ? AND blind_sha256 IS NULL",
		ResultFile: "UPDATE prediction SET result_bytes = ?, result_sha256 = ? WHERE key = ? AND result = ? AND result_sha256 IS NULL",
	}[f.Kind]
	if !ok {
		return fmt.Errorf("unknown kind of file %q", f.Kind)
	}
	return t.exec(ctx, query, f.Bytes, f.SHA256, f.Key, f.Blob)
}
