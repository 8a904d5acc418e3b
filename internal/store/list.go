package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"
)

// Page selects a part of a list: the first Offset rows are skipped, and at most
// Limit rows are returned.
type Page struct{ Offset, Limit int64 }

// listQuery holds the parts of the SQL for a list. They make one query for a page of the rows
// and the number of all rows.
type listQuery struct {
	columns, from, order string
	// The field table is the first table in the field from, and key is the column with the key of
	// that table's rows. Both are set if all conditions and the order use only this table, and the
	// joins neither add nor remove rows. Then the database skips the rows before the page in an
	// index, without reading them. Otherwise table and key are empty.
	table, key string
	// total is the query for the number of all rows, and totalArgs are its arguments. If total
	// is empty, the rows are counted.
	total     string
	totalArgs []any
	where     []string
	args      []any
}

// addCondition adds an SQL condition that all listed rows must meet, and its arguments.
func (l *listQuery) addCondition(condition string, args ...any) {
	l.where = append(l.where, condition)
	l.args = append(l.args, args...)
}

func (l *listQuery) whereClause() string {
	if len(l.where) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(l.where, " AND ")
}

// rowScanner is implemented by *sql.Row and *sql.Rows.
type rowScanner interface{ Scan(dst ...any) error }

// listPage returns the rows of a page and the number of rows on all pages. It needs one
// statement, or two if the page is empty although there may be rows.
func listPage[T any](ctx context.Context, t *Tx, q listQuery, page Page, scan func(rowScanner) (*T, error)) (items []*T, total int64, err error) {
	count, countArgs := q.total, q.totalArgs
	if count == "" {
		count, countArgs = "SELECT count(*) FROM "+cmp.Or(q.table, q.from)+q.whereClause(), q.args
	}
	// Without the cast, SQLite plans the statement anew for each bound limit.
	const limit = " LIMIT cast(? AS bigint) OFFSET ?"
	query := "SELECT " + q.columns + ", (" + count + ") FROM " + q.from
	if q.key == "" {
		query += q.whereClause() + " ORDER BY " + q.order + limit
	} else {
		keys := "SELECT " + q.key + " FROM " + q.table + q.whereClause() + " ORDER BY " + q.order + limit
		query += " WHERE " + q.key + " IN (" + keys + ") ORDER BY " + q.order
	}
	rows, err := t.tx.QueryContext(ctx, query, slices.Concat(countArgs, q.args, []any{page.Limit, page.Offset})...)
	if err != nil {
		return nil, 0, err
	}
	scanner := withTotal{rowScanner: rows, total: &total}
	items, err = scanAll(rows, func(rowScanner) (*T, error) { return scan(&scanner) })
	if err == nil && len(items) == 0 && (page.Offset > 0 || page.Limit == 0) {
		err = t.tx.QueryRowContext(ctx, count, countArgs...).Scan(&total)
	}
	return items, total, err
}

// withTotal scans the last column of a row, the number of rows on all pages, into total.
type withTotal struct {
	rowScanner
	total *int64
	dst   []any
}

// Scan scans the other columns into dst.
func (w *withTotal) Scan(dst ...any) error {
	w.dst = append(append(w.dst[:0], dst...), w.total)
	return w.rowScanner.Scan(w.dst...)
}

// scanAll converts each of rows with scan, and closes rows.
func scanAll[T any](rows *sql.Rows, scan func(rowScanner) (*T, error)) ([]*T, error) {
	defer rows.Close()
	var items []*T
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, rows.Err()
}

// queryStrings returns the non-empty values of a query with one text column.
func (t *Tx) queryStrings(ctx context.Context, query string, args ...any) ([]string, error) {
	rows, err := t.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		if s != "" {
			all = append(all, s)
		}
	}
	return all, rows.Err()
}

// execRequired runs a statement. It returns errNoRow if the statement affected no row.
func (t *Tx) execRequired(ctx context.Context, errNoRow error, query string, args ...any) error {
	result, err := t.tx.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		return errNoRow
	}
	return err
}

// exec runs a statement that may affect no row.
func (t *Tx) exec(ctx context.Context, query string, args ...any) error {
	_, err := t.tx.ExecContext(ctx, query, args...)
	return err
}

// toMicros converts a time to its stored form: Unix microseconds, or 0 for the zero
// time.
func toMicros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// toSharedMicros is toMicros for a time of this machine's clock. It first converts the time to the
// clock that all processes share.
func (t *Tx) toSharedMicros(at time.Time) int64 { return toMicros(at.Add(t.offset)) }

// fromMicros is the inverse of toMicros.
func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// fromSharedMicros is the inverse of toSharedMicros. It returns the zero time for 0.
func (t *Tx) fromSharedMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return fromMicros(us).Add(-t.offset)
}
