package store

import (
	"context"
	"time"
)

// AuditEvent is an entry of the audit log: who did what. Database triggers prevent every change of
// an event. They also prevent every deletion, unless another event allows it with ExpiresBefore.
type AuditEvent struct {
	Key  string
	Time time.Time
	// Actor is the email of the account. For a failed log-in it is the email in the
	// request.
	Actor string
	// Action is the operation, for example "login" or "dataset.delete". Object is the key
	// or email of the resource.
	Action, Object string
	// Detail holds the new values of a change, such as "datasets=1 bytes=1000000 races=none". It is ""
	// for most actions.
	Detail string
	// Address is the address of the client. Request is the ID of the request. They are
	// empty for a command on the data folder.
	Address, Request string
	// Outcome is "done" or "refused".
	Outcome string
	// ExpiresBefore allows the deletion of the events before this time. It must not be after
	// Time. It is set only in the event that records such a deletion. Queries leave it zero.
	ExpiresBefore time.Time
}

// auditEventColumns are the columns that every version of the schema has. The column detail is newer, so
// queries name it separately.
const auditEventColumns = "key, time, actor, action, object, address, request, outcome"

func scanAuditEvent(row rowScanner) (*AuditEvent, error) {
	var e AuditEvent
	var at int64
	err := row.Scan(&e.Key, &at, &e.Actor, &e.Action, &e.Object, &e.Address, &e.Request, &e.Outcome, &e.Detail)
	e.Time = fromMicros(at)
	return &e, err
}

// InsertAuditEvent appends an event.
func (t *Tx) InsertAuditEvent(ctx context.Context, e *AuditEvent) error {
	columns, placeholders := auditEventColumns, "?, ?, ?, ?, ?, ?, ?, ?"
	args := []any{e.Key, toMicros(e.Time), e.Actor, e.Action, e.Object, e.Address, e.Request, e.Outcome}
	if !e.ExpiresBefore.IsZero() { // the schema of an earlier version lacks the column
		columns, placeholders = columns+", expires_before", placeholders+", ?"
		args = append(args, toMicros(e.ExpiresBefore))
	}
	if e.Detail != "" { // the schema of an earlier version lacks the column
		columns, placeholders = columns+", detail", placeholders+", ?"
		args = append(args, e.Detail)
	}
	return t.exec(ctx, "INSERT INTO audit_event ("+columns+") VALUES ("+placeholders+")", args...)
}

// AuditQuery selects audit events. An empty Actor or Action selects the events of all actors or
// actions.
type AuditQuery struct{ Actor, Action string }

// toListQuery returns the SQL query of all events that q selects, newest first.
func (q AuditQuery) toListQuery() listQuery {
	list := listQuery{columns: auditEventColumns + ", detail", from: "audit_event", order: "time DESC, key"}
	if q.Actor != "" {
		list.addCondition("actor = ?", q.Actor)
	}
	if q.Action != "" {
		list.addCondition("action = ?", q.Action)
	}
	return list
}

// CountAuditEvents returns the number of selected events.
func (t *Tx) CountAuditEvents(ctx context.Context, q AuditQuery) (n int64, err error) {
	list := q.toListQuery()
	query, args := list.countQuery()
	err = t.tx.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, err
}

// ListAuditEvents returns a page of the selected events, newest first. If after is not nil, the pages
// begin with the event that follows the event after. This is faster than a large offset, and events
// that other transactions insert meanwhile do not move the events of the next page.
func (t *Tx) ListAuditEvents(ctx context.Context, q AuditQuery, after *AuditEvent, page Page) ([]*AuditEvent, error) {
	list := q.toListQuery()
	if after != nil {
		at := toMicros(after.Time)
		list.addCondition("time <= ? AND (time < ? OR key > ?)", at, at, after.Key)
	}
	rows, err := t.tx.QueryContext(ctx, "SELECT "+list.columns+" FROM "+list.from+list.whereClause()+" ORDER BY "+list.order+" LIMIT cast(? AS bigint) OFFSET ?",
		append(list.args, page.Limit, page.Offset)...)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, scanAuditEvent)
}

// HasLoggedInFrom reports whether the audit log contains a successful log-in from the given network
// address. actor is the email of the account.
func (t *Tx) HasLoggedInFrom(ctx context.Context, actor, address string) (found bool, err error) {
	err = t.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM audit_event
		WHERE actor = ? AND action = 'login' AND outcome = 'done' AND address = ?)`, actor, address).Scan(&found)
	return found, err
}

// HasAuditEventLike reports whether the audit log contains an event that equals e except for its
// key, request and time. The time of that event must be later than the argument since, and not
// later than the time of e.
func (t *Tx) HasAuditEventLike(ctx context.Context, e *AuditEvent, since time.Time) (found bool, err error) {
	err = t.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM audit_event
		WHERE actor = ? AND time > ? AND time <= ? AND action = ? AND object = ? AND address = ? AND outcome = ?)`,
		e.Actor, toMicros(since), toMicros(e.Time), e.Action, e.Object, e.Address, e.Outcome).Scan(&found)
	return found, err
}

// CountAuditEventsBefore returns the number of events before a time. It stops counting at
// limit.
func (t *Tx) CountAuditEventsBefore(ctx context.Context, before time.Time, limit int64) (n int64, err error) {
	err = t.tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM audit_event WHERE time < ? LIMIT ?) AS expired", toMicros(before), limit).Scan(&n)
	return n, err
}

// DeleteAuditEventsBefore deletes the oldest events before a time. limit is the largest number of
// deleted events. DeleteAuditEventsBefore returns an error unless the audit log already has the
// event that records this deletion; see AuditEvent.ExpiresBefore.
func (t *Tx) DeleteAuditEventsBefore(ctx context.Context, before time.Time, limit int64) error {
	return t.exec(ctx, "DELETE FROM audit_event WHERE key IN (SELECT key FROM audit_event WHERE time < ? ORDER BY time LIMIT ?)", toMicros(before), limit)
}
