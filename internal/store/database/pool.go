package database

import (
	"context"
	"database/sql"
)

// pool is a sql.DB that serves callers in the order of their requests. A plain sql.DB passes a free
// connection to a random waiting caller, so that under load a few callers wait several times as
// long as most.
type pool struct {
	*sql.DB
	used chan struct{} // has one element for each caller with a connection
}

// newPool returns a pool that opens at most the given number of connections to db.
func newPool(db *sql.DB, connections int) *pool {
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return &pool{db, make(chan struct{}, connections)}
}

// acquire waits until the caller may use a connection, and returns nil. The caller must then call
// release. If ctx is done first, acquire returns an error, and the caller must not call release.
func (p *pool) acquire(ctx context.Context) error {
	select {
	case p.used <- struct{}{}: // the runtime serves waiting senders in order
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// release allows the next waiting caller to use a connection.
func (p *pool) release() { <-p.used }
