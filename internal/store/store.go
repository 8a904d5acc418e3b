package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver
)

//go:embed migrations/*.sql
var migrations embed.FS

// maxReaders is the maximum number of read connections.
const maxReaders = 8

// Store is an open database. It is safe for concurrent use, and several
// processes may open the same database.
type Store struct {
	write, read *sql.DB
	lock        *processLock
}

// Open opens the database at path, creates it and its folder if missing, and
// migrates it to the newest schema. The caller must call Close.
func Open(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	// Only one process at a time migrates the database and creates its process file.
	entry, err := waitForLock(ctx, filepath.Join(folder, "entry.lock"))
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
	s := &Store{}
	if s.write, err = openDB(path, "immediate", ""); err != nil {
		return nil, err
	}
	s.write.SetMaxOpenConns(1)
	if err := migrate(ctx, s.write); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, translateError(err)), s.Close())
	}
	if s.read, err = openDB(path, "deferred", "query_only(1)"); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.read.SetMaxOpenConns(maxReaders)
	s.read.SetMaxIdleConns(maxReaders)
	if s.lock, err = newProcessLock(filepath.Join(folder, "processes")); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// checkWAL returns ErrCorrupt if the database is empty or missing but has a
// write-ahead log. SQLite would delete that log, which may hold all the data
// that is left.
func checkWAL(path string) error {
	log, err := os.Stat(path + "-wal")
	if err != nil || log.Size() == 0 {
		return nil //nolint:nilerr // nothing to lose, or unknown
	}
	if db, err := os.Stat(path); err == nil && db.Size() > 0 {
		return nil
	}
	return fmt.Errorf("%s: %w: it is empty or missing, but its log %s-wal exists", path, ErrCorrupt, filepath.Base(path))
}

// createPrivateFile creates the file if it is missing, with mode 0600. SQLite
// creates its log files with the mode of the database.
func createPrivateFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// openDB returns a pool of connections to the file. txLock is the kind of its
// transactions, "immediate" or "deferred"; pragma may be empty. With
// synchronous(FULL) each commit takes one fsync and survives a power failure.
// Less would be enough to survive the death of the process.
func openDB(path, txLock, pragma string) (*sql.DB, error) {
	query := url.Values{"_txlock": {txLock}, "_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
	}}
	if pragma != "" {
		query.Add("_pragma", pragma)
	}
	path = filepath.ToSlash(path) // for the URL
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	address := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	return sql.Open("sqlite", address.String())
}

// migrate applies the migrations that the database lacks.
func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files)
	if err != nil {
		return err
	}
	have, err := provider.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version
	if have > newest {
		return fmt.Errorf("%w: its schema is %d, this program knows %d", ErrNewerSchema, have, newest)
	}
	if have == newest {
		return nil
	}
	_, err = provider.Up(ctx)
	return err
}

// Close closes the database and releases the lock of this process, so that
// others can take over its leases.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.lock != nil {
		errs = append(errs, s.lock.release())
	}
	return errors.Join(errs...)
}

// Ping checks that the database can be read.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return translateError(s.read.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// ProcessName returns the name of this process, which is unique among those
// that share the database.
func (s *Store) ProcessName() string { return s.lock.name }

// IsAlive reports whether the process with this [Store.ProcessName] is running.
func (s *Store) IsAlive(process string) bool { return s.lock.isAlive(process) }

// Tx is a transaction. It must not be used after the function to which it was
// passed has returned.
type Tx struct {
	tx *sql.Tx
}

// Write runs fn in a transaction and commits it, or rolls it back if fn returns
// an error.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	return transact(ctx, s.write, fn)
}

// Read runs fn in a read-only transaction on a snapshot of the database.
func (s *Store) Read(ctx context.Context, fn func(*Tx) error) error {
	return transact(ctx, s.read, fn)
}

func transact(ctx context.Context, db *sql.DB, fn func(*Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return translateContextError(ctx, err)
	}
	if err := fn(&Tx{tx}); err != nil {
		return errors.Join(translateContextError(ctx, err), ignoreTxDone(tx.Rollback()))
	}
	return translateContextError(ctx, tx.Commit())
}

// ignoreTxDone returns nil for sql.ErrTxDone, the error of a rollback after the
// end of the context has already rolled the transaction back.
func ignoreTxDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}
