package store

import (
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"testing"

	"foretell/internal/testenv"
)

// TestPostgresRights opens a database as a user with only the rights that docs/operations.md grants.
// This user can use the store, but can neither change entries of the audit log nor remove their
// triggers.
func TestPostgresRights(t *testing.T) {
	location := testenv.Postgres(t)
	owner := openStore(t, location)
	admin, err := sql.Open("pgx", location)
	if err != nil {
		t.Fatal(err)
	}
	exec := func(statement string) {
		t.Helper()
		if _, err := admin.Exec(statement); err != nil { // also after the context of the test has ended
			t.Errorf("%s: %v", statement, err)
		}
	}
	name := "foretell_test_" + strings.ToLower(rand.Text())
	exec("CREATE ROLE " + name + " LOGIN PASSWORD '" + name + "'")
	t.Cleanup(func() {
		exec("DROP OWNED BY " + name)
		exec("DROP ROLE " + name)
		_ = admin.Close()
	})
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```sql\n")
	block, _, _ = strings.Cut(block, "```")
	address, err := url.Parse(location)
	if err != nil || !strings.Contains(block, "GRANT") {
		t.Fatalf("%v, or docs/operations.md has no block of SQL", err)
	}
	exec(strings.NewReplacer("foretell_service", name, "SCHEMA public", "SCHEMA "+address.Query().Get("search_path")).Replace(block))
	address.User = url.UserPassword(name, name)

	exec("DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)")
	_, err = Open(t.Context(), address.String())
	wantErr(t, err, ErrForbidden)
	exec("INSERT INTO goose_db_version (version_id, is_applied) SELECT max(version_id) + 1, true FROM goose_db_version")

	s := suite{openStore(t, address.String()), nil}
	s.fill(t)
	write(t, s.Store, func(tx *Tx) error {
		_, err := tx.DeleteAccount(t.Context(), "bob")
		return err
	})
	expire := newAuditEvent("expire", "service", "audit.expire", "done", 9)
	expire.ExpiresBefore = at(2)
	for _, e := range []*AuditEvent{newAuditEvent("old", "ann", "login", "done", 1), newAuditEvent("new", "ann", "login", "done", 3), expire} {
		write(t, s.Store, func(tx *Tx) error { return tx.InsertAuditEvent(t.Context(), e) })
	}
	write(t, s.Store, func(tx *Tx) error { return tx.DeleteAuditEventsBefore(t.Context(), at(2), 9) })
	for _, statement := range []string{
		"UPDATE audit_event SET actor = 'mallory'", "DELETE FROM audit_event", "TRUNCATE audit_event", "DROP TABLE audit_event",
		"DROP TRIGGER audit_event_row ON audit_event", "ALTER TABLE audit_event DISABLE TRIGGER ALL", "SET session_replication_role = replica",
		"CREATE OR REPLACE FUNCTION protect_audit_event() RETURNS trigger LANGUAGE sql AS ''",
	} {
		if err := s.Write(t.Context(), func(tx *Tx) error { return tx.exec(t.Context(), statement) }); err == nil {
			t.Errorf("%s is allowed", statement)
		}
	}
	// A temporary table comes first in search_path, but not for the triggers.
	err = s.Write(t.Context(), func(tx *Tx) error {
		schema := address.Query().Get("search_path")
		for _, statement := range []string{
			"CREATE TEMPORARY TABLE audit_event AS SELECT * FROM " + schema + ".audit_event", "UPDATE pg_temp.audit_event SET expires_before = time",
			"DELETE FROM " + schema + ".audit_event WHERE key = 'new'",
		} {
			if err := tx.exec(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "only by age") {
		t.Errorf("with a temporary table: %v", err)
	}
	if got := (suite{owner, nil}).auditKeys(t); got != "expire service, new ann" {
		t.Errorf("the events are %s", got)
	}
}
