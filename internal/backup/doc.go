// Package backup writes all rows and files of a service to one file, and restores them into an
// empty service. The format of the file is the same for every kind of database and storage, so a
// backup can also move a service from SQLite and a folder to PostgreSQL and a bucket, or back.
//
// A backup is a tar archive. Its entries are, in this order:
//
//	backup.json        the version of the format and of the schema
//	files/KEY          a stored file
//	rows/TABLE.jsonl   the rows of a table: the names of the columns, then one array a row
//	damaged.json       the files that the backup lacks because they were damaged
//	SHA256SUMS         the SHA-256 of each entry before, as sha256sum writes it
//	end.json           the SHA-256 of all bytes before, and the numbers of rows and files
//
// The service keeps running. Stored files never change, but files are added and deleted. Therefore
// [Write] takes a snapshot of the rows, copies the files that the snapshot references, and repeats
// this until all files of a snapshot are copied. After a few rounds, a snapshot stays open until its
// files are copied. Write then writes the rows of this last snapshot, so the backup is consistent.
//
// [Restore] writes the files first. Then it inserts the rows in one transaction, which it commits
// after it has verified all checksums. If Restore fails, it deletes the files that it wrote. If its
// process is killed, files without rows remain, and a service refuses to start with them.
package backup

import (
	"errors"
	"time"
)

// The errors that callers handle. Test with errors.Is.
var (
	// ErrDamaged is returned if a backup is incomplete or was changed.
	ErrDamaged = errors.New("the backup is damaged")
	// ErrNewer is returned for a backup of a newer version of this program.
	ErrNewer = errors.New("the backup is from a newer version of foretell")
	// ErrNotEmpty is returned if the database or the storage to restore into is not empty.
	ErrNotEmpty = errors.New("the target is not empty")
)

// formatVersion is the version of the format in which this program writes backups. A backup of a
// newer version cannot be read.
const formatVersion = 1

// The names of entries, and the prefixes and suffixes of such names.
const (
	headerName  = "backup.json"
	filePrefix  = "files/"
	rowsPrefix  = "rows/"
	rowsSuffix  = ".jsonl"
	damagedName = "damaged.json"
	sumsName    = "SHA256SUMS"
	endName     = "end.json"
)

// Header is the content of the first entry, backup.json.
type Header struct {
	// Format is the version of the format of the backup.
	Format int `json:"format"`
	// Schema is the version of the schema of the rows.
	Schema int64 `json:"schema"`
	// Program is the version of the program that wrote the backup.
	Program string    `json:"program"`
	Created time.Time `json:"created"`
}

// Summary describes the contents of a backup.
type Summary struct {
	Header Header
	Rows   int64
	Files  int64
	// Bytes is the total size of the files.
	Bytes int64
	// Damaged are the files that were damaged or missing when the backup was made.
	Damaged []DamagedFile
}

// DamagedFile is a file that was damaged or missing when a backup was made.
type DamagedFile struct {
	// Blob is the key of the file. Kind and Owner identify what the file belongs to, as in
	// [store.OwnedFile].
	Blob  string `json:"blob"`
	Kind  string `json:"kind"`
	Owner string `json:"owner"`
	// Reason says what is wrong with the file.
	Reason string `json:"reason"`
}

// trailer is the content of the last entry, end.json.
type trailer struct {
	// SHA256 is the checksum, in hex, of all bytes before the header of this entry.
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows"`
	Files  int64  `json:"files"`
	Bytes  int64  `json:"bytes"`
}
