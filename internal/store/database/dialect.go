package database

import (
	"database/sql"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// txDialect holds the options of transactions that differ between SQLite and PostgreSQL.
type txDialect struct {
	// writeOptions and readOptions are the options of write and read transactions.
	writeOptions, readOptions *sql.TxOptions
	// readCommittedOptions are the options of [DB.WriteReadCommitted].
	readCommittedOptions *sql.TxOptions
	// numberedPlaceholders reports whether placeholders are $1, $2 … instead of ?.
	numberedPlaceholders bool
	// requiresValidUTF8 reports whether a text must be valid UTF-8 without NUL.
	requiresValidUTF8 bool
}

var sqliteDialect = &txDialect{}

// postgresDialect uses serializable transactions: their effect is the same as if they had run one
// after the other, as with SQLite. If two concurrent transactions conflict, one of them fails and
// is run again.
var postgresDialect = &txDialect{
	writeOptions:         &sql.TxOptions{Isolation: sql.LevelSerializable},
	readOptions:          &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
	readCommittedOptions: &sql.TxOptions{Isolation: sql.LevelReadCommitted},
	numberedPlaceholders: true,
	requiresValidUTF8:    true,
}

// rebind replaces each placeholder ? in a query by the placeholder of the database.
func (d *txDialect) rebind(query string) string {
	if !d.numberedPlaceholders || !strings.Contains(query, "?") {
		return query
	}
	var b strings.Builder
	n, quoted := 0, false
	for _, c := range query {
		switch {
		case c == '\'':
			quoted = !quoted
		case c == '?' && !quoted:
			n++
			b.WriteString("$" + strconv.Itoa(n))
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// convertArgsInPlace converts the arguments of a query to values that the database accepts. It
// changes args and returns it. For PostgreSQL, it replaces invalid UTF-8 and NUL in texts by
// U+FFFD, so a key with such characters matches no row.
func (d *txDialect) convertArgsInPlace(args []any) []any {
	if !d.requiresValidUTF8 {
		return args
	}
	for i, arg := range args {
		switch s := arg.(type) {
		case string:
			args[i] = toValidText(s)
		case *string:
			if s != nil {
				args[i] = toValidText(*s)
			}
		}
	}
	return args
}

func toValidText(s string) string {
	const replacement = "\uFFFD"
	return strings.ReplaceAll(strings.ToValidUTF8(s, replacement), "\x00", replacement)
}

// isLockTimeout reports whether a statement failed because it has waited too long for a lock.
func isLockTimeout(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "55P03"
}

// isConflict reports whether a transaction failed because of a conflict or deadlock with a
// concurrent transaction. Such a transaction can be run again.
func isConflict(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}
