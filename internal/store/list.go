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

// listQuery holds the parts of an SQL query that returns a page of a list, and the number of rows
// on all pages.
type listQuery struct {
	// columns, from and order follow SELECT, FROM and ORDER BY.
	columns, from, order string
	// table is the first table of the field from, and key is its primary key column. They make pages
	// with a large offset faster: the database skips the rows before the page in an index, without
	// reading them. Both are empty if the field where or order uses another table, or if the joins
	// add or remove rows.
	table, key string
	// total is a query that returns the number of rows on all pages, and totalArgs has its
	// arguments. If total is empty, the rows are counted.
	total     string
	totalArgs []any
	// where holds the conditions that all rows must meet, and args their arguments.
	where []string
	args  []any
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

// maxRowsSkipped is the largest offset at which the database simply reads and skips the rows before
// a page. Beyond it, finding the keys of the page in an index first is faster. For the first page,
// finding the keys first would take PostgreSQL four times as long, mostly to plan the query.
const maxRowsSkipped = 200

// listPage returns the rows of a page and the number of rows on all pages. It executes one
// statement. If the page is empty but earlier pages may not be, it counts the rows with a second
// statement.
func listPage[T any](ctx context.Context, t *Tx, q listQuery, page Page, scan func(rowScanner) (*T, error)) (items []*T, total int64, err error) {
	count, countArgs := q.countQuery()
	rows, err := t.tx.QueryContext(ctx, q.pageQuery(count, page.Offset), slices.Concat(countArgs, q.args, []any{page.Limit, page.Offset})...)
	if err != nil {
		return nil, 0, err
	}
	scanner := rowWithTotal{rowScanner: rows, total: &total}
	items, err = scanAllAndClose(rows, func(rowScanner) (*T, error) { return scan(&scanner) })
	if err == nil && len(items) == 0 && (page.Offset > 0 || page.Limit == 0) {
		err = t.tx.QueryRowContext(ctx, count, countArgs...).Scan(&total)
	}
	return items, total, err
}

// countQuery returns the query that counts the rows on all pages, and its arguments.
func (l *listQuery) countQuery() (query string, args []any) {
	if l.total != "" {
		return l.total, l.totalArgs
	}
	return "SELECT count(*) FROM " + cmp.Or(l.table, l.from) + l.whereClause(), l.args
}

// pageQuery returns the query of the page at an offset. The argument count is a query for the
// number of rows on all pages, which becomes the last column of the returned query. The arguments
// of the returned query are the arguments of count, the arguments of the conditions, the limit and
// the offset, in this order.
func (l *listQuery) pageQuery(count string, offset int64) string {
	// Without the cast, SQLite plans the statement anew for each bound limit.
	const limit = " LIMIT cast(? AS bigint) OFFSET ?"
	query := "SELECT " + l.columns + ", (" + count + ") FROM " + l.from
	if l.key == "" || l.from == l.table && offset <= maxRowsSkipped {
		return query + l.whereClause() + " ORDER BY " + l.order + limit
	}
	keys := "SELECT " + l.key + " FROM " + l.table + l.whereClause() + " ORDER BY " + l.order + limit
	return query + " WHERE " + l.key + " IN (" + keys + ") ORDER BY " + l.order
}

// rowWithTotal is a row whose last column is the number of rows on all pages. Its method Scan
// scans this column into total.
type rowWithTotal struct {
	rowScanner
	total *int64
	dst   []any
}

// Scan scans the last column into total, and the other columns into dst.
func (w *rowWithTotal) Scan(dst ...any) error {
	w.dst = append(append(w.dst[:0], dst...), w.total)
	return w.rowScanner.Scan(w.dst...)
}

// scanAllAndClose calls scan for each row, returns the results, and closes rows.
func scanAllAndClose[T any](rows *sql.Rows, scan func(rowScanner) (*T, error)) ([]*T, error) {
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

// queryNonEmptyStrings returns the non-empty values of a query with one text column.
func (t *Tx) queryNonEmptyStrings(ctx context.Context, query string, args ...any) ([]string, error) {
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

// execRequired runs a statement that must affect a row. If it affects no row, execRequired
// returns errNoRow.
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

// toSharedMicros converts a time of this machine's clock to the clock that all processes share,
// and returns it in Unix microseconds, or 0 for the zero time.
func (t *Tx) toSharedMicros(at time.Time) int64 { return toMicros(at.Add(t.tx.ClockOffset)) }

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
	return fromMicros(us).Add(-t.tx.ClockOffset)
}

// placeholderList returns an SQL list of n placeholders, to test whether a value is among n arguments.
// The list begins with an empty string, because SQL has no empty lists. No key is empty.
func placeholderList(n int) string {
	return "(''" + strings.Repeat(", ?", n) + ")"
}
