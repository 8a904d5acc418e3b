package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"foretell/internal/store/database"
)

// maxSnapshotTime is the time limit of a transaction that backs up or restores a database.
const maxSnapshotTime = 24 * time.Hour

// snapshotTables are the tables that a backup contains, with the order of their rows. Each
// table comes after the tables that it references, and each row after the rows that it
// references.
var snapshotTables = []struct{ name, order string }{
	{"secret", "name"},
	{"setting", "name"},
	{"account", "created, key"},
	{"series", "account, name"},
	{"dataset", "created, key"},
	{"training", "position, created, key"}, // races first: they have the position 0
	{"model", "created, key"},
	{"prediction", "created, key"},
	{"job", "created, key"},
	{"access_request", "created, key"},
	{"outbox", "created, key"},
	{"audit_event", "time, key"},
}

// SnapshotTables returns the names of the tables for [Tx.EachRow] and [Tx.InsertRows], in
// the order in which their rows can be inserted.
func SnapshotTables() []string {
	names := make([]string, 0, len(snapshotTables))
	for _, table := range snapshotTables {
		names = append(names, table.name)
	}
	return names
}

// withSnapshotTimeLimit returns a copy of s with maxSnapshotTime as the time limit of transactions.
// If s has no time limit, the copy has none either.
func (s *Store) withSnapshotTimeLimit() *Store {
	limited := *s
	limited.db = s.db.WithTimeLimit(maxSnapshotTime)
	return &limited
}

// ReadSnapshot is like [Store.Read], but fn may run for hours.
func (s *Store) ReadSnapshot(ctx context.Context, fn func(*Tx) error) error {
	return s.withSnapshotTimeLimit().Read(ctx, fn)
}

// WriteWithoutRetry is like [Store.Write], but fn may run for hours, and is called only once, even
// after a conflict.
func (s *Store) WriteWithoutRetry(ctx context.Context, fn func(*Tx) error) error {
	return s.withSnapshotTimeLimit().db.WriteWithoutRetry(ctx, s.withTx(fn))
}

// rootTables are the tables that IsEmpty checks. They exist in every schema that can be restored.
// Rows of the other tables belong to an account and cannot exist without it. There are three
// exceptions: rows about running processes, attempts that a rate limit counts, and one-time links
// that create the first administrator.
var rootTables = []string{"account", "access_request", "audit_event", "folder", "secret", "setting"}

// IsEmpty reports whether all rootTables are empty. Then no other table has rows either, with the
// exceptions that are listed at rootTables.
func (t *Tx) IsEmpty(ctx context.Context) (bool, error) {
	for _, name := range rootTables {
		var rows bool
		err := t.tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+name+")").Scan(&rows)
		if err != nil || rows {
			return false, database.TranslateError(err)
		}
	}
	return true, nil
}

// listColumns returns the names of the columns of a table, sorted.
func (t *Tx) listColumns(ctx context.Context, table string) ([]string, error) {
	rows, err := t.tx.QueryContext(ctx, "SELECT * FROM "+table+" LIMIT 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	slices.Sort(columns)
	if err == nil {
		err = rows.Err()
	}
	return columns, err
}

// EachRow calls columns with the column names of a table, and then fn with each row. The table must
// be one of [SnapshotTables]. With both databases, a value is an int64, a float64, a string or nil.
// The function fn must not retain the slice.
func (t *Tx) EachRow(ctx context.Context, table string, columns func([]string) error, fn func(values []any) error) error {
	i := slices.Index(SnapshotTables(), table)
	if i < 0 {
		return fmt.Errorf("no table %q in a snapshot", table)
	}
	names, err := t.listColumns(ctx, table)
	if err != nil {
		return err
	}
	if err := columns(names); err != nil {
		return err
	}
	rows, err := t.tx.QueryContext(ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+table+" ORDER BY "+snapshotTables[i].order)
	if err != nil {
		return err
	}
	defer rows.Close()
	values, targets := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if err := fn(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// InsertRows inserts rows with these columns into a table of [SnapshotTables]. It returns
// ErrUnknownColumn if the table lacks a column.
func (t *Tx) InsertRows(ctx context.Context, table string, columns []string, rows [][]any) error {
	if !slices.Contains(SnapshotTables(), table) {
		return fmt.Errorf("%w: table %q", ErrUnknownColumn, table)
	}
	known, err := t.listColumns(ctx, table)
	if err != nil {
		return err
	}
	for _, column := range columns {
		if !slices.Contains(known, column) {
			return fmt.Errorf("%w: column %q of table %q", ErrUnknownColumn, column, table)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	tuple := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ") + ")"
	query := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " +
		strings.TrimSuffix(strings.Repeat(tuple+", ", len(rows)), ", ")
	args := make([]any, 0, len(rows)*len(columns))
	for _, row := range rows {
		if len(row) != len(columns) {
			return fmt.Errorf("%w: a row of table %q has %d values for %d columns", ErrUnknownColumn, table, len(row), len(columns))
		}
		args = append(args, row...)
	}
	return database.TranslateError(t.exec(ctx, query, args...))
}

// ReleaseAllJobs ends the leases of all jobs and clears their Process, because no process of a
// backup is running. The jobs begin to wait at the time now. ReleaseAllJobs deletes the jobs of
// single algorithms of a race, because the race begins again and queues them again.
func (t *Tx) ReleaseAllJobs(ctx context.Context, now time.Time) error {
	if err := t.exec(ctx, "UPDATE job SET owner = '', until = 0, process = ''"); err != nil {
		return err
	}
	training, err := t.listColumns(ctx, "training")
	if err != nil {
		return err
	}
	if slices.Contains(training, "parent") { // divided races begin again, and queue new parts
		if err := t.exec(ctx, "DELETE FROM job WHERE subject IN (SELECT key FROM training WHERE parent IS NOT NULL)"); err != nil {
			return err
		}
	}
	known, err := t.listColumns(ctx, "job")
	if err != nil || !slices.Contains(known, "begun") { // a schema of an early version has no such column
		return err
	}
	return t.exec(ctx, "UPDATE job SET begun = ?", t.toSharedMicros(now))
}
