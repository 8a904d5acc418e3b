package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
)

// prepared returns a database with one connection, and a function that returns the number of
// statements that the connection keeps.
func prepared(t *testing.T) (*sql.DB, func() int) {
	t.Helper()
	db, err := openSQLiteDB(filepath.Join(t.TempDir(), "test.db"), "immediate", "")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE x (n INTEGER UNIQUE); INSERT INTO x VALUES (1), (2), (3)"); err != nil {
		t.Fatal(err)
	}
	return db, func() (n int) {
		t.Helper()
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if err := conn.Raw(func(c any) error {
			n = len(c.(*preparedConn).unused)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
}

func TestPreparedStatements(t *testing.T) {
	db, kept := prepared(t)
	ctx := t.Context()
	const query = "SELECT n FROM x WHERE n >= ? ORDER BY n"
	t.Run("a_query_within_its_own_rows", func(t *testing.T) {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		var pairs []string
		outer, err := tx.QueryContext(ctx, query, 2)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = outer.Close() }() // it is closed after its last row
		for outer.Next() {
			var a, b int
			if err := errors.Join(outer.Scan(&a), tx.QueryRowContext(ctx, query, 1).Scan(&b)); err != nil {
				t.Fatal(err)
			}
			pairs = append(pairs, fmt.Sprint(a, b))
		}
		if err := errors.Join(outer.Err(), tx.Commit()); err != nil || fmt.Sprint(pairs) != "[2 1 3 1]" {
			t.Errorf("%v %v", pairs, err)
		}
		if n := kept(); n != 1 {
			t.Errorf("%d statements are kept", n)
		}
	})
	t.Run("after_an_error", func(t *testing.T) {
		const insert = "INSERT INTO x VALUES (?)"
		for range 2 {
			if _, err := db.ExecContext(ctx, insert, 3); !errors.Is(TranslateError(err), ErrExists) {
				t.Errorf("want ErrExists, got %v", err)
			}
		}
		if result, err := db.ExecContext(ctx, insert, 4); err != nil {
			t.Error(err)
		} else if n, err := result.RowsAffected(); n != 1 || err != nil {
			t.Errorf("%d rows: %v", n, err)
		}
		ended, end := context.WithCancel(ctx)
		end()
		if err := db.QueryRowContext(ended, query, 1).Scan(new(int)); !errors.Is(err, context.Canceled) {
			t.Errorf("want context.Canceled, got %v", err)
		}
	})
	t.Run("after_a_change_of_the_schema", func(t *testing.T) {
		if _, err := db.ExecContext(ctx, "ALTER TABLE x ADD COLUMN m INTEGER DEFAULT 7"); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := db.QueryRowContext(ctx, query, 3).Scan(&n); err != nil || n != 3 {
			t.Errorf("%d %v", n, err)
		}
	})
	t.Run("at_most", func(t *testing.T) {
		for i := range 2 * maxPreparedStatements {
			var n int
			if err := db.QueryRowContext(ctx, fmt.Sprintf("SELECT %d WHERE ?", i), true).Scan(&n); err != nil || n != i {
				t.Fatal(n, err)
			}
		}
		if n := kept(); n != maxPreparedStatements {
			t.Errorf("%d statements are kept, want %d", n, maxPreparedStatements)
		}
	})
}
