package store

import (
	"context"
	"database/sql"
)

// connectionPool is a sql.DB that serves callers in the order of their requests. A plain sql.DB
// passes a free connection to a random waiting caller, so that under load a few callers wait
// several times as long as the others.
type connectionPool struct {
	*sql.DB
	used chan struct{} // has one element for each caller with a connection
}

// newConnectionPool returns a pool that opens at most the given number of connections to db.
func newConnectionPool(db *sql.DB, connections int) *connectionPool {
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return &connectionPool{db, make(chan struct{}, connections)}
}

// acquire waits until the caller may use a connection, and returns nil. The caller must then call
// release. If ctx is done first, acquire returns an error, and the caller must not call release.
func (p *connectionPool) acquire(ctx context.Context) error {
	select {
	case p.used <- struct{}{}: // the runtime serves waiting senders in order
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// release allows the next waiting caller to use a connection.
func (p *connectionPool) release() { <-p.used }
