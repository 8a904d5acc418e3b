package store

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newAuditEvent returns an event at the given second of the test.
func newAuditEvent(key, actor, action, outcome string, second int) *AuditEvent {
	return &AuditEvent{Key: key, Time: at(second), Actor: actor, Action: action, Object: "object", Address: "192.0.2.1", Request: "r", Outcome: outcome}
}

func (s suite) auditEvents(t *testing.T) {
	event := newAuditEvent
	first := event("e1", "ann@example.com", "login", "refused", 1)
	write(t, s.Store, func(tx *Tx) error {
		return errors.Join(tx.InsertAuditEvent(t.Context(), first), tx.InsertAuditEvent(t.Context(), event("e2", "bob@example.com", "login", "done", 2)),
			tx.InsertAuditEvent(t.Context(), event("e3", "bob@example.com", "logout", "done", 3)))
	})
	read(t, s.Store, func(tx *Tx) error {
		var errs []error
		for _, tt := range []struct {
			query AuditQuery
			page  Page
			want  []string
			total int64
		}{
			{AuditQuery{}, Page{0, 2}, []string{"e3", "e2"}, 3},
			{AuditQuery{}, Page{2, 2}, []string{"e1"}, 3},
			{AuditQuery{Actor: "bob@example.com"}, Page{0, 9}, []string{"e3", "e2"}, 2},
			{AuditQuery{Action: "login"}, Page{0, 9}, []string{"e2", "e1"}, 2},
		} {
			total, errCount := tx.CountAuditEvents(t.Context(), tt.query)
			events, err := tx.ListAuditEvents(t.Context(), tt.query, nil, tt.page)
			var keys []string
			for _, e := range events {
				keys = append(keys, e.Key)
				if e.Key == "e1" && !cmp.Equal(first, e) {
					t.Errorf("(-want +got):\n%s", cmp.Diff(first, e))
				}
			}
			if total != tt.total || !cmp.Equal(keys, tt.want) {
				t.Errorf("%+v: %d events %v", tt.query, total, keys)
			}
			errs = append(errs, err, errCount)
		}
		for email, want := range map[string]bool{"bob@example.com": true, "ann@example.com": false} {
			known, err := tx.HasLoggedInFrom(t.Context(), email, "192.0.2.1")
			if known != want {
				t.Errorf("%s has logged in: %t", email, known)
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
}

// auditEventsAfter reads all events with different limits. Several events have the same time.
func (s suite) auditEventsAfter(t *testing.T) {
	write(t, s.Store, func(tx *Tx) (err error) {
		for _, key := range []string{"1 c", "2 a", "2 c", "2 b", "2 d", "3 b"} {
			err = errors.Join(err, tx.InsertAuditEvent(t.Context(), newAuditEvent(key, "ann@example.com", "login", "done", int(key[0]-'0'))))
		}
		return errors.Join(err, tx.InsertAuditEvent(t.Context(), newAuditEvent("of bob", "bob@example.com", "login", "done", 2)))
	})
	for limit := range int64(4) {
		read(t, s.Store, func(tx *Tx) error {
			var keys []string
			for last := (*AuditEvent)(nil); ; {
				events, err := tx.ListAuditEvents(t.Context(), AuditQuery{Actor: "ann@example.com"}, last, Page{Limit: limit + 1})
				if err != nil {
					return err
				}
				for _, last = range events {
					keys = append(keys, last.Key)
				}
				if int64(len(events)) <= limit {
					break
				}
			}
			if want := []string{"3 b", "2 a", "2 b", "2 c", "2 d", "1 c"}; !cmp.Equal(keys, want) {
				t.Errorf("%d at a time, the events are %q, want %q", limit+1, keys, want)
			}
			return nil
		})
	}
}

// auditKeys returns the keys of all events, newest first.
func (s suite) auditKeys(t *testing.T) string {
	t.Helper()
	var keys []string
	read(t, s.Store, func(tx *Tx) error {
		events, err := tx.ListAuditEvents(t.Context(), AuditQuery{}, nil, Page{0, 99})
		for _, e := range events {
			keys = append(keys, e.Key+" "+e.Actor)
		}
		return err
	})
	return strings.Join(keys, ", ")
}

// auditEventsAreProtected checks that no statement changes an event, and that events are deleted only
// if they are older than the limit that a remaining event has recorded.
func (s suite) auditEventsAreProtected(t *testing.T) {
	insert := func(events ...*AuditEvent) error {
		return s.Write(t.Context(), func(tx *Tx) error {
			var errs []error
			for _, e := range events {
				errs = append(errs, tx.InsertAuditEvent(t.Context(), e))
			}
			return errors.Join(errs...)
		})
	}
	refuse := func(statement string) {
		t.Helper()
		before := s.auditKeys(t)
		err := s.Write(t.Context(), func(tx *Tx) error { return tx.exec(t.Context(), statement) })
		if err == nil || !strings.Contains(err.Error(), "entries of the audit log") {
			t.Errorf("%s: error %v", statement, err)
		}
		if after := s.auditKeys(t); after != before {
			t.Errorf("%s has changed %s to %s", statement, before, after)
		}
	}
	var events []*AuditEvent
	for i, key := range []string{"e1", "e2", "e3", "e4"} {
		events = append(events, newAuditEvent(key, "ann", "login", "done", i+1))
	}
	if err := insert(events...); err != nil {
		t.Fatal(err)
	}
	statements := []string{
		"UPDATE audit_event SET actor = 'mallory' WHERE key = 'e4'", "UPDATE audit_event SET expires_before = time + 1",
		"DELETE FROM audit_event WHERE key = 'e4'", "DELETE FROM audit_event",
	}
	if s.IsOnServer() {
		statements = append(statements, "TRUNCATE audit_event")
	} else {
		statements = append(statements, "INSERT OR REPLACE INTO audit_event VALUES ('e4', 0, '', '', '', '', '', '', 0, '')",
			"REPLACE INTO audit_event (rowid, key, time, actor, action, object, address, request, outcome) SELECT rowid, 'new', 0, '', '', '', '', '', '' FROM audit_event",
			"UPDATE OR REPLACE audit_event SET key = 'e3' WHERE key = 'e4'")
	}
	for _, statement := range statements {
		refuse(statement)
	}
	if err := s.Write(t.Context(), func(tx *Tx) error { return tx.DeleteAuditEventsBefore(t.Context(), at(3), 9) }); err == nil {
		t.Error("events were deleted without an event that records it")
	}

	// An event cannot allow its own deletion, or that of later events.
	later := newAuditEvent("later", "service", "audit.expire", "done", 5)
	later.ExpiresBefore = at(6)
	if err := insert(later); err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		refuse(statement)
	}

	expire := newAuditEvent("expire", "service", "audit.expire", "done", 5)
	expire.ExpiresBefore = at(3)
	write(t, s.Store, func(tx *Tx) error {
		for limit, want := range map[int64]int64{1: 1, 9: 2} {
			if n, err := tx.CountAuditEventsBefore(t.Context(), at(3), limit); err != nil || n != want {
				t.Errorf("%d of at most %d events are older, %v", n, limit, err)
			}
		}
		return errors.Join(tx.InsertAuditEvent(t.Context(), expire), tx.DeleteAuditEventsBefore(t.Context(), at(3), 1))
	})
	if got, want := s.auditKeys(t), "expire service, later service, e4 ann, e3 ann, e2 ann"; got != want {
		t.Errorf("the events are %s, want %s", got, want)
	}
	write(t, s.Store, func(tx *Tx) error { return tx.DeleteAuditEventsBefore(t.Context(), at(3), 9) })
	for _, statement := range append(statements, "DELETE FROM audit_event WHERE key = 'expire'") {
		refuse(statement)
	}
	if got, want := s.auditKeys(t), "expire service, later service, e4 ann, e3 ann"; got != want {
		t.Errorf("the events are %s, want %s", got, want)
	}
}

// afterCommit checks that the functions of Tx.AfterCommit are called once, and only after a commit.
func (s suite) afterCommit(t *testing.T) {
	calls := 0
	add := func(tx *Tx, key string) error {
		tx.AfterCommit(func(err error) {
			calls++
			if got := s.auditKeys(t); err != nil || !strings.Contains(got, key) {
				t.Errorf("the events after the commit are %s, %v", got, err)
			}
		})
		return tx.InsertAuditEvent(t.Context(), newAuditEvent(key, "ann", "login", "done", 1))
	}
	write(t, s.Store, func(tx *Tx) error { return errors.Join(add(tx, "a"), add(tx, "b")) })
	if calls != 2 {
		t.Errorf("%d calls after two registrations", calls)
	}
	failure := errors.New("failure")
	wantErr(t, s.Write(t.Context(), func(tx *Tx) error { return errors.Join(add(tx, "c"), failure) }), failure)
	if calls != 2 {
		t.Errorf("%d calls after a transaction was rolled back", calls)
	}
}
