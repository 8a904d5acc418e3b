package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"
)

// Migration holds the versions of the schema before and after Open. From is 0 for a new
// database. If the schema was the newest already, From equals To.
type Migration struct{ From, To int64 }

// migrate applies the migrations that the database does not have yet. The caller must
// make sure that no other process migrates the database at the same time.
func (d *dialect) migrate(ctx context.Context, db *sql.DB) (Migration, error) {
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
	if have > newest {
		return Migration{}, fmt.Errorf("%w: its schema is %d, this program knows %d", ErrNewerSchema, have, newest)
	}
	if have < newest {
		_, err = provider.Up(ctx)
	}
	return Migration{From: have, To: newest}, err
}
