package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/store"
	"foretell/internal/testenv"
)

// TestExpiredEvents deletes old events in two transactions. Each must leave an event with the number
// of events that it has deleted.
func TestExpiredEvents(t *testing.T) {
	t.Parallel()
	for name, newDatabase := range newDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			location := newDatabase(t)
			c := newClock()
			a, _ := openService(t, location, c)
			err := a.store.Write(t.Context(), func(tx *store.Tx) error {
				for i := range expireBatchSize + 1 {
					if err := tx.InsertAuditEvent(t.Context(), &store.AuditEvent{Key: fmt.Sprint(i), Time: c.Now(), Actor: testEmail, Action: "login", Outcome: outcomeDone}); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			c.advance(time.Minute)
			before := c.Now().Add(-30 * time.Second) // the database's clock, in which events are stored, is known only nearly
			if err := a.RecordAuditEventInNewTx(t.Context(), "logout", ""); err != nil {
				t.Fatal(err)
			}
			c.advance(time.Second)
			for range 2 { // the second time, nothing is left to delete
				if err := a.DeleteAuditEventsBefore(t.Context(), before); err != nil {
					t.Fatal(err)
				}
			}
			found := map[string]int{}
			err = a.EachAuditEvent(t.Context(), &api.ListAuditEventsInput{}, 0, func(e *api.AuditEvent) error {
				found[e.Actor+" "+e.Action+" "+e.Object]++
				return nil
			})
			if diff := cmp.Diff(map[string]int{"service audit.expire 1000": 1, "service audit.expire 1": 1, "operator logout ": 1}, found); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestRefusalAfterDisconnection refuses a request whose client has disconnected. The audit log must have
// the refusal nevertheless.
func TestRefusalAfterDisconnection(t *testing.T) {
	t.Parallel()
	a := open(t, newClock(), Options{})
	ctx, disconnect := context.WithCancel(WithCaller(t.Context(), Caller{Account: "ann", Email: "ann@example.com"}))
	disconnect()
	a.RecordRefusal(ctx, "ListAccounts", "/api/v1/admin/accounts")
	if got, want := refusedEvents(t, a, "ListAccounts"), []string{"ann@example.com:/api/v1/admin/accounts"}; !slices.Equal(got, want) {
		t.Errorf("the refused requests are %q, want %q", got, want)
	}
}

// TestRepeatedDownloads checks that concurrent and repeated downloads of an object from one address are
// one event in each minute.
func TestRepeatedDownloads(t *testing.T) {
	t.Parallel()
	databases := maps.Clone(newDatabases)
	databases["PostgreSQL with another clock"] = postgresAhead
	for name, newDatabase := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			location := newDatabase(t)
			c := newClock()
			a, _ := openService(t, location, c)
			addUsers(t, a, api.RoleUser, testEmail)
			owner, err := a.FindAccount(t.Context(), testEmail)
			if err != nil {
				t.Fatal(err)
			}
			download := func(address, object string) {
				ctx := WithCaller(t.Context(), Caller{RemoteAddress: address})
				if err := a.RecordDownload(ctx, owner.AccountKey, "result.download", object); err != nil {
					t.Error(err)
				}
			}
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { download("192.0.2.1", "first") })
			}
			all.Wait()
			download("192.0.2.1", "second")
			download("192.0.2.2", "first")
			c.advance(downloadInterval - time.Second)
			download("192.0.2.1", "first")
			c.advance(2 * sharedClockTolerance)
			download("192.0.2.1", "first")
			found := map[string]int{}
			err = a.EachAuditEvent(t.Context(), &api.ListAuditEventsInput{Action: "result.download"}, 0, func(e *api.AuditEvent) error {
				found[e.Actor+" "+e.RemoteAddress+" "+e.Object]++
				return nil
			})
			want := map[string]int{testEmail + " 192.0.2.1 first": 2, testEmail + " 192.0.2.1 second": 1, testEmail + " 192.0.2.2 first": 1}
			if diff := cmp.Diff(want, found); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// postgresAhead returns the location of an empty PostgreSQL database whose clock is an hour ahead.
func postgresAhead(t testing.TB) string {
	t.Helper()
	location := testenv.Postgres(t)
	address, err := url.Parse(location)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", location)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), "CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$"); err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	query.Set("search_path", query.Get("search_path")+",pg_catalog") // by default, pg_catalog is first
	address.RawQuery = query.Encode()
	return address.String()
}

// TestNewValuesAreRecorded changes the quota and the role of an account and the settings that services
// share. The audit log must have the new values.
func TestNewValuesAreRecorded(t *testing.T) {
	t.Parallel()
	for name, newDatabase := range newDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			location := newDatabase(t)
			s := openLogged(t, location, Options{DefaultQuota: &api.Quota{Races: new(int64(4))}})
			s.invited(t, "bob@example.com")
			bob, err := s.FindAccount(t.Context(), "bob@example.com")
			if err != nil {
				t.Fatal(err)
			}
			key := api.AccountInput{AccountKey: bob.AccountKey}
			_, err = s.SetQuota(t.Context(), &api.SetQuotaInput{AccountInput: key, Body: api.Quota{Datasets: new(int64(1)), Bytes: new(int64(1_000_000))}})
			if err == nil {
				_, err = s.SetRole(t.Context(), &api.SetRoleInput{AccountInput: key, Body: api.NewRole{Role: api.RoleAdministrator}})
			}
			if err == nil {
				err = s.StoreServiceSettings(t.Context(), ServiceSettings{PublicURL: new("https://foretell.example.com"), Address: "http://127.0.0.1:8080"})
			}
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]string{}
			err = s.EachAuditEvent(t.Context(), &api.ListAuditEventsInput{}, 0, func(e *api.AuditEvent) error {
				found[e.Action+" "+e.Object] = e.Detail
				return nil
			})
			want := map[string]string{
				"account.create bob@example.com": "", "account.quota bob@example.com": "datasets=1 bytes=1000000 races=none",
				"account.role.administrator bob@example.com": "role=administrator", "setting.change public-url": "https://foretell.example.com",
				"setting.change default-quota": "datasets=none bytes=none races=4",
			}
			if diff := cmp.Diff(want, found); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestAuditLogIsReadInBatches reads more events than one batch, while another event is added. No
// transaction must be open while the events are processed, because the reader of a pipe may be slow.
func TestAuditLogIsReadInBatches(t *testing.T) {
	t.Parallel()
	for name, newDatabase := range newDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			location := newDatabase(t)
			c := newClock()
			a, _ := openService(t, location, c)
			insert := func(key string) error {
				return a.store.Write(t.Context(), func(tx *store.Tx) error {
					return tx.InsertAuditEvent(t.Context(), &store.AuditEvent{Key: key, Time: c.Now(), Actor: testEmail, Action: "login", Outcome: outcomeDone})
				})
			}
			const events = 2*auditBatchSize + 1
			err := a.store.Write(t.Context(), func(tx *store.Tx) (err error) {
				for i := range events {
					err = errors.Join(err, tx.InsertAuditEvent(t.Context(), &store.AuditEvent{Key: fmt.Sprint(i), Time: c.Now(), Actor: testEmail, Action: "login", Outcome: outcomeDone}))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []int{events, auditBatchSize + 1} {
				seen := map[string]bool{}
				err = a.EachAuditEvent(t.Context(), &api.ListAuditEventsInput{}, want%events, func(e *api.AuditEvent) error { // 0 means all
					if len(seen) == 0 {
						c.advance(time.Second)
						if err := insert(fmt.Sprint("added ", want)); err != nil {
							return err
						}
						wantNoReader(t, location)
					}
					seen[e.EventKey] = true
					return nil
				})
				if err != nil || len(seen) != want || seen["added "+fmt.Sprint(want)] {
					t.Errorf("%d events, want %d (%v)", len(seen), want, err)
				}
			}
		})
	}
}

// wantNoReader fails if a transaction that has read the audit log is still open.
func wantNoReader(t *testing.T, location string) {
	t.Helper()
	driver := "pgx"
	if filepath.Ext(location) == ".db" {
		driver = "sqlite"
	}
	db, err := sql.Open(driver, location)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if driver == "sqlite" {
		var busy, log, checkpointed int // a reader keeps the write-ahead log from becoming empty
		err := db.QueryRowContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &checkpointed)
		if err != nil || busy != 0 {
			t.Errorf("a transaction is open (%v)", err)
		}
		return
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(t.Context(), "LOCK TABLE audit_event IN ACCESS EXCLUSIVE MODE NOWAIT"); err != nil {
		t.Errorf("a transaction is open: %v", err)
	}
}
