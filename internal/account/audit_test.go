package account

import (
	"fmt"
	"path/filepath"
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
	for name, location := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "foretell.db") },
		"PostgreSQL": testenv.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			a, _ := openService(t, location(t), c)
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
			c.advance(time.Second)
			before := c.Now()
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

// TestRepeatedDownloads checks that concurrent and repeated downloads of an object from one address are
// one event in each minute.
func TestRepeatedDownloads(t *testing.T) {
	t.Parallel()
	for name, location := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "foretell.db") },
		"PostgreSQL": testenv.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			a, _ := openService(t, location(t), c)
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
			c.advance(time.Second)
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
