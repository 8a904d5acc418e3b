package database

import (
	"context"
	"database/sql/driver"
)

// maxPreparedStatements is the maximum number of prepared statements in the cache of a connection.
const maxPreparedStatements = 128

// preparedConnector opens connections to SQLite that cache prepared statements. Without a
// cache, the driver parses a statement each time, which takes longer than most statements run.
// The PostgreSQL driver has such a cache itself.
type preparedConnector struct{ driver.Connector }

// Connect opens a connection.
func (c preparedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &preparedConn{conn.(sqliteConn), map[string]preparedStatement{}}, nil
}

// sqliteConn has the methods of the driver's connections that database/sql calls.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type preparedStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// preparedConn is a connection that caches prepared statements. It does not cache statements
// without arguments, such as migrations, because they rarely run again.
type preparedConn struct {
	sqliteConn
	// unused holds the cached statements that are not running, by their SQL text.
	unused map[string]preparedStatement
}

// ExecContext runs a statement that returns no rows.
func (c *preparedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	s, err := c.takeStatement(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, args)
	c.putStatement(query, s, err)
	return result, err
}

// QueryContext runs a statement that returns rows. Until the rows are closed, the prepared
// statement is in use, and a second call with the same query prepares another statement.
func (c *preparedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) == 0 {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	s, err := c.takeStatement(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		c.putStatement(query, s, err)
		return nil, err
	}
	return &preparedRows{rows, func(err error) { c.putStatement(query, s, err) }}, nil
}

// takeStatement takes a prepared statement from the cache, or prepares one if the cache has none.
// The caller must call putStatement afterwards.
func (c *preparedConn) takeStatement(ctx context.Context, query string) (preparedStatement, error) {
	if s, ok := c.unused[query]; ok {
		delete(c.unused, query)
		return s, nil
	}
	s, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.(preparedStatement), nil
}

// putStatement returns a statement to the cache. If the cache is full, it closes another statement.
// err is the error of the last use of s. If err is not nil, or if the cache already has a statement
// for this query, putStatement closes s instead.
func (c *preparedConn) putStatement(query string, s preparedStatement, err error) {
	if _, found := c.unused[query]; found || err != nil {
		_ = s.Close() // returns the same error as the last use
		return
	}
	for other, o := range c.unused {
		if len(c.unused) < maxPreparedStatements {
			break
		}
		delete(c.unused, other)
		_ = o.Close() // has no effect on other statements
	}
	c.unused[query] = s
}

// Close closes the statements and the connection.
func (c *preparedConn) Close() error {
	for _, s := range c.unused {
		_ = s.Close() // the connection's Close, below, reports errors
	}
	clear(c.unused)
	return c.sqliteConn.Close()
}

// preparedRows are the rows of a prepared statement.
type preparedRows struct {
	driver.Rows
	put func(error)
}

// Close closes the rows and returns the statement to the cache.
func (r *preparedRows) Close() error {
	err := r.Rows.Close()
	r.put(err)
	return err
}
