package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"

	"foretell/internal/filelock"
	"foretell/internal/store/process"
	"foretell/internal/store/schema"
)

// openSQLite opens the database file at path. If the file or its folder is missing, it
// creates both. It migrates the database to the given version of the schema.
func openSQLite(ctx context.Context, path string, version int64) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	// Only one process at a time may migrate the database and create its process file.
	entry, err := filelock.Wait(ctx, filepath.Join(folder, "entry.lock"))
	if err != nil {
		return nil, fmt.Errorf("locking the data folder %s: %w", folder, err)
	}
	defer entry.Close()
	if err := checkWAL(path); err != nil {
		return nil, err
	}
	if err := createPrivateFile(path); err != nil {
		return nil, err
	}
	d := &DB{dialect: sqliteDialect}
	write, err := openSQLiteDB(path, "immediate", "")
	if err != nil {
		return nil, err
	}
	d.write = newPool(write, 1)
	if d.Migration, err = schema.SQLite.Migrate(ctx, write, version); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, TranslateError(err)), d.Close())
	}
	read, err := openSQLiteDB(path, "deferred", "query_only(1)")
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.read = newPool(read, maxReaders)
	read.SetMaxOpenConns(maxReaders + 1) // one more, for Watch
	read.SetMaxIdleConns(maxReaders + 1)
	lock, err := process.NewLock(filepath.Join(folder, "processes"))
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.Processes = lock
	return d, nil
}

// checkWAL returns ErrCorrupt if the database is empty or missing, but a write-ahead log of the
// database exists. SQLite would delete the log, which may have the only remaining data.
func checkWAL(path string) error {
	log, err := os.Stat(path + "-wal")
	if err != nil || log.Size() == 0 {
		return nil //nolint:nilerr // there is no log, or it is unknown whether there is one
	}
	if db, err := os.Stat(path); err == nil && db.Size() > 0 {
		return nil
	}
	return fmt.Errorf("%s: %w: the file is empty or missing, but its log %s-wal exists", path, ErrCorrupt, filepath.Base(path))
}

// createPrivateFile creates the file with mode 0600 if it is missing. SQLite then
// creates its log files with the same mode.
func createPrivateFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// busyTimeout is how long a statement waits for the lock of another process.
const busyTimeout = 10 * time.Second

// openSQLiteDB returns a pool of connections to the SQLite file at path. txLock is the kind of its
// transactions, "immediate" or "deferred". pragma is an additional PRAGMA, or empty.
func openSQLiteDB(path, txLock, pragma string) (*sql.DB, error) {
	// With synchronous(FULL), each commit waits for an fsync, so that it survives a power failure and not
	// only the end of the process. On macOS, only fullfsync(1) makes the drive write its cache.
	query := url.Values{"_txlock": {txLock}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "journal_mode(WAL)", "synchronous(FULL)", "fullfsync(1)", "foreign_keys(1)",
	}}
	if pragma != "" {
		query.Add("_pragma", pragma)
	}
	path = filepath.ToSlash(path) // a URL has slashes
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // the path begins with a drive letter
	}
	address := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	connector, err := sqlite.NewConnector(address.String())
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(preparedConnector{connector}), nil
}
