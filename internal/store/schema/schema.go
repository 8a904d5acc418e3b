// Package schema creates and upgrades the tables of the database by numbered migrations. The
// version of a schema is the number of its last migration.
//
// A new migration is one file for SQLite and PostgreSQL in migrations; for PostgreSQL, a file of
// the same name in migrations/postgres replaces it. A new SQLite database is created from
// baseline.sql, which creates the same tables as all migrations together.
package schema

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// The errors that callers handle. Test with errors.Is.
var (
	// ErrNewer is returned for a database that has a newer schema than the program knows, or than
	// the caller has requested.
	ErrNewer = errors.New("the database was written by a newer version of foretell")
	// ErrOld is returned for the version Unchanged if the schema is too old to be read.
	ErrOld = errors.New("the schema of the database is too old")
	// ErrMissing is returned for the version Unchanged if the database has no tables of this
	// program. It wraps ErrOld.
	ErrMissing error = missingError{}
)

// missingError is the type of ErrMissing. It wraps ErrOld, but has a message of its own.
type missingError struct{}

func (missingError) Error() string { return "the database has no tables of foretell" }
func (missingError) Unwrap() error { return ErrOld }

// UnsupportedVersionError is returned for a version of the schema that is newer than Newest, the
// newest version that this program supports.
type UnsupportedVersionError struct{ Version, Newest int64 }

func (e *UnsupportedVersionError) Error() string {
	return fmt.Sprintf("its schema has version %d, but this version of foretell supports at most %d", e.Version, e.Newest)
}

const (
	// Newest stands for the newest version that the program knows.
	Newest = 0
	// Unchanged stands for the current version of the database.
	Unchanged = -1
	// oldestReadable is the oldest version that is accepted with Unchanged. It is the first version
	// with all tables of a backup.
	oldestReadable = 5
)

// Migration holds the versions of the schema before a migration (From) and afterwards (To). From is 0
// for a new database. If there was nothing to migrate, From equals To.
type Migration struct {
	From, To int64
	// Newest is the newest version that the program knows.
	Newest int64
}

// Check returns ErrNewer if the schema of the database is newer than m.Newest. The argument have is
// the version of this schema.
func (m Migration) Check(have int64) error {
	if have > m.Newest {
		return fmt.Errorf("%w: its schema has version %d, but this version of foretell supports at most %d", ErrNewer, have, m.Newest)
	}
	return nil
}

// embedded has the files of all migrations.
//
//go:embed migrations/*.sql migrations/postgres/*.sql
var embedded embed.FS

// Migrations are the migrations of a kind of database.
type Migrations struct {
	dialect goose.Dialect
	files   fs.FS
}

// The migrations of the two kinds of databases.
var (
	SQLite   = &Migrations{goose.DialectSQLite3, subFolder("migrations")}
	Postgres = &Migrations{goose.DialectPostgres, postgresFiles{own: subFolder("migrations/postgres"), shared: subFolder("migrations")}}
)

// Migrate applies the migrations that the database does not have yet, up to the given version,
// which may be [Newest] or [Unchanged]. The caller must make sure that no other process migrates the
// database at the same time.
func (m *Migrations) Migrate(ctx context.Context, db *sql.DB, version int64) (Migration, error) {
	if version == Unchanged { // without the check, GetDBVersion would create the table of versions
		if exists, err := m.hasVersions(ctx, db); err != nil || !exists {
			return Migration{}, cmp.Or(err, ErrMissing)
		}
	}
	provider, err := goose.NewProvider(m.dialect, db, m.files)
	if err != nil {
		return Migration{}, err
	}
	have, err := provider.GetDBVersion(ctx)
	if err != nil {
		return Migration{}, err
	}
	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version
	if err := (Migration{Newest: newest}).Check(have); err != nil {
		return Migration{}, err
	}
	switch {
	case version == Newest:
		version = newest
	case version == Unchanged && have == 0:
		return Migration{}, ErrMissing
	case version == Unchanged && have < oldestReadable:
		return Migration{}, fmt.Errorf("%w: the schema has version %d, but this version of foretell needs at least %d", ErrOld, have, oldestReadable)
	case version == Unchanged:
		return Migration{From: have, To: have, Newest: newest}, nil
	case version > newest:
		return Migration{}, &UnsupportedVersionError{version, newest}
	case have > version:
		return Migration{}, fmt.Errorf("%w: its schema has version %d, not %d", ErrNewer, have, version)
	}
	done := Migration{From: have, To: version, Newest: newest}
	if have == 0 && version >= baselineVersion && m == SQLite {
		if err := createBaselineSchema(ctx, db, sources); err != nil {
			return Migration{}, err
		}
		have = baselineVersion
	}
	if have < version {
		_, err = provider.UpTo(ctx, version)
	}
	return done, err
}

// hasVersions reports whether the database has the table of the versions.
func (m *Migrations) hasVersions(ctx context.Context, db *sql.DB) (exists bool, err error) {
	tables := "sqlite_schema WHERE name"
	if m == Postgres {
		tables = "pg_tables WHERE schemaname = current_schema() AND tablename"
	}
	err = db.QueryRowContext(ctx, "SELECT count(*) > 0 FROM "+tables+" = '"+goose.DefaultTablename+"'").Scan(&exists)
	return exists, err
}

func subFolder(name string) fs.FS {
	sub, err := fs.Sub(embedded, name)
	if err != nil {
		panic(err) // the name is a constant of this package
	}
	return sub
}
