package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"
)

// Migration has the versions of the schema before Open (From) and afterwards (To). From is 0 for a
// new database. If there was nothing to migrate, From equals To.
type Migration struct {
	From, To int64
	newest   int64 // newest version that the program knows
}

const (
	// newestSchema is the argument of migrate for the newest version of the schema.
	newestSchema = 0
	// unchangedSchema is the argument of migrate for the current version of the database.
	unchangedSchema = -1
	// oldestReadableSchema is the oldest version that OpenUnchanged accepts. It is the first
	// version with all tables of [SnapshotTables].
	oldestReadableSchema = 5
)

// migrate applies the migrations that the database does not have yet, up to the given version,
// which may be newestSchema or unchangedSchema. The caller must make sure that no other
// process migrates the database at the same time.
func (d *dialect) migrate(ctx context.Context, db *sql.DB, version int64) (Migration, error) {
	provider, err := goose.NewProvider(d.goose, db, d.migrations)
	if err != nil {
		return Migration{}, err
	}
	have, err := provider.GetDBVersion(ctx)
	if err != nil {
		return Migration{}, err
	}
	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version
	switch {
	case have > newest:
		return Migration{}, newerSchemaError(have, newest)
	case version == newestSchema:
		version = newest
	case version == unchangedSchema && have == 0:
		return Migration{}, ErrNoSchema
	case version == unchangedSchema && have < oldestReadableSchema:
		return Migration{}, fmt.Errorf("%w: it has version %d, but this version of foretell needs at least %d", ErrOldSchema, have, oldestReadableSchema)
	case version == unchangedSchema:
		return Migration{From: have, To: have, newest: newest}, nil
	case version > newest:
		return Migration{}, &UnsupportedVersionError{version, newest}
	case have > version:
		return Migration{}, fmt.Errorf("%w: its schema has version %d, not %d", ErrNewerSchema, have, version)
	}
	done := Migration{From: have, To: version, newest: newest}
	if have == 0 && version >= baselineVersion && d == sqliteDialect {
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

// checkSchema returns ErrNewerSchema if the schema of the database is newer than the newest version
// that the program knows.
func (t *Tx) checkSchema(ctx context.Context, newest int64) error {
	var have int64
	if err := t.tx.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version").Scan(&have); err != nil {
		return err
	}
	if have > newest {
		return newerSchemaError(have, newest)
	}
	return nil
}
