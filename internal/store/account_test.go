package store

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"foretell/internal/api"
)

// read runs fn, which must succeed, in a read-only transaction.
func read(t testing.TB, s *Store, fn func(tx *Tx) error) {
	t.Helper()
	if err := s.Read(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func (s suite) administration(t *testing.T) {
	s.fill(t)
	want := &Account{
		Key: "eve", Email: "eve@example.com", Name: "Eve", Organisation: "Example", Role: api.RoleAdministrator, PasswordHash: "hash",
		Quota: Quota{Datasets: new(int64(0)), Races: new(int64(2))}, Created: at(9),
	}
	write(t, s.Store, func(tx *Tx) error { return tx.InsertAccount(t.Context(), want) })
	read(t, s.Store, func(tx *Tx) error {
		byKey, err := tx.GetAccountByKey(t.Context(), "eve")
		if diff := cmp.Diff(want, byKey); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		page, total, errList := tx.ListAccounts(t.Context(), Page{0, 1})
		if total != 3 || len(page) != 1 || page[0].Key != "eve" {
			t.Errorf("%d accounts, the newest %+v", total, page)
		}
		usage, errUsage := tx.GetUsage(t.Context(), "ann")
		if diff := cmp.Diff(Usage{Datasets: 3, Bytes: 16, Races: 1}, usage); diff != "" {
			t.Errorf("usage (-want +got):\n%s", diff)
		}
		return errors.Join(err, errList, errUsage)
	})
	write(t, s.Store, func(tx *Tx) error {
		return errors.Join(
			tx.InsertSession(t.Context(), &Session{Hash: "hash", Account: "eve", Created: at(0), Expires: at(10)}),
			tx.UpdateQuota(t.Context(), "eve", Quota{Bytes: new(int64(7))}),
			tx.UpdateRole(t.Context(), "eve", api.RoleUser),
		)
	})
	read(t, s.Store, func(tx *Tx) error {
		a, err := tx.GetAccountByToken(t.Context(), "hash", at(9)) // the session goes on
		want.Quota, want.Role = Quota{Bytes: new(int64(7))}, api.RoleUser
		if diff := cmp.Diff(want, a); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		n, errCount := tx.CountEnabledAccounts(t.Context(), api.RoleAdministrator, "local")
		if n != 0 {
			t.Errorf("%d administrators", n)
		}
		return errors.Join(err, errCount)
	})
	write(t, s.Store, func(tx *Tx) error { return tx.UpdatePasswordAndEndSessions(t.Context(), "eve", "other") })
	read(t, s.Store, func(tx *Tx) error {
		_, err := tx.GetAccountByToken(t.Context(), "hash", at(9))
		wantErr(t, err, ErrNotFound)
		return nil
	})
	wantErr(t, s.Write(t.Context(), func(tx *Tx) error { return tx.UpdateRole(t.Context(), "nobody", api.RoleUser) }), ErrNotFound)
}

// sharedClock compares times that were stored by the shared clock. They are not exact, because each
// heartbeat measures a slightly different difference between the clocks, by up to half of the time that it
// takes.
var sharedClock = cmpopts.EquateApproxTime(5 * time.Second)

// jobClock is sharedClock for the times of jobs, which the tests queue a second apart.
var jobClock = cmpopts.EquateApproxTime(jobClockError)

const jobClockError = 400 * time.Millisecond

func (s suite) sessions(t *testing.T) {
	s.fill(t)
	first := &Session{Hash: "first", Account: "bob", Address: "192.0.2.1", Client: "foretell/v1", Created: at(1), Expires: at(10)}
	second := &Session{Hash: "second", Account: "bob", Created: at(2), Expires: at(20)}
	list := func(now int, want ...*Session) {
		t.Helper()
		read(t, s.Store, func(tx *Tx) error {
			got, err := tx.ListSessions(t.Context(), "bob", at(now))
			if diff := cmp.Diff(want, got, sharedClock); diff != "" {
				t.Errorf("at %d (-want +got):\n%s", now, diff)
			}
			return err
		})
	}
	write(t, s.Store, func(tx *Tx) error {
		return errors.Join(tx.InsertSession(t.Context(), first), tx.InsertSession(t.Context(), second))
	})
	list(9, second, first)
	list(11, second)
	if err := s.DeleteExpiredSessions(t.Context(), at(11)); err != nil {
		t.Error(err)
	}
	list(9, second) // the first has expired and is deleted
	write(t, s.Store, func(tx *Tx) error { return tx.DeleteSession(t.Context(), "second") })
	list(9)
	wantErr(t, s.Write(t.Context(), func(tx *Tx) error { return tx.DeleteSession(t.Context(), "second") }), ErrNotFound)
}

func (s suite) accessRequests(t *testing.T) {
	request := func(key, email string, second int) *AccessRequest {
		return &AccessRequest{Key: key, Email: email, Name: "Ann", Organisation: "Example", Reason: "to learn", Status: api.RequestPending, Created: at(second)}
	}
	insert := func(r *AccessRequest, want bool) {
		t.Helper()
		write(t, s.Store, func(tx *Tx) error {
			inserted, err := tx.InsertAccessRequest(t.Context(), r)
			if inserted != want {
				t.Errorf("request %s inserted: %t", r.Key, inserted)
			}
			return err
		})
	}
	insert(request("r1", "ann@example.com", 1), true)
	insert(request("r2", "ann@example.com", 2), false)
	insert(request("r3", "bob@example.com", 3), true)
	decided := request("r1", "ann@example.com", 1)
	decided.Status, decided.Decided, decided.DecidedBy = api.RequestApproved, at(5), "eve@example.com"
	write(t, s.Store, func(tx *Tx) error { return tx.UpdateAccessRequest(t.Context(), decided, api.RequestPending) })
	wantErr(t, s.Write(t.Context(), func(tx *Tx) error { return tx.UpdateAccessRequest(t.Context(), decided, api.RequestPending) }), ErrWrongState)
	insert(request("r4", "ann@example.com", 4), true) // after the decision
	read(t, s.Store, func(tx *Tx) error {
		got, err := tx.GetAccessRequest(t.Context(), "r1")
		if diff := cmp.Diff(decided, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		pending, total, errPending := tx.ListAccessRequests(t.Context(), api.RequestPending, Page{0, 1})
		if total != 2 || len(pending) != 1 || pending[0].Key != "r4" {
			t.Errorf("%d are pending, the newest %+v", total, pending)
		}
		_, total, errAll := tx.ListAccessRequests(t.Context(), "", Page{0, 1})
		if total != 3 {
			t.Errorf("%d in all", total)
		}
		return errors.Join(err, errPending, errAll)
	})
}

func (s suite) links(t *testing.T) {
	s.fill(t)
	link := func(hash string, now int) (account string, err error) {
		err = s.Read(t.Context(), func(tx *Tx) error {
			account, err = tx.GetOneTimeLinkAccount(t.Context(), hash, at(now))
			return err
		})
		return account, err
	}
	write(t, s.Store, func(tx *Tx) error {
		return errors.Join(
			tx.ReplaceOneTimeLink(t.Context(), "first", "ann", at(10)), tx.ReplaceOneTimeLink(t.Context(), "second", "ann", at(10)),
			tx.ReplaceOneTimeLink(t.Context(), "bob", "bob", at(10)),
			tx.InsertFirstAdministratorLink(t.Context(), "expired", at(5)), tx.InsertFirstAdministratorLink(t.Context(), "earlier", at(10)), tx.InsertFirstAdministratorLink(t.Context(), "administrator", at(10)),
			tx.DeleteExpiredFirstAdministratorLinks(t.Context(), at(5)))
	})
	for hash, want := range map[string]string{"second": "ann", "bob": "bob", "earlier": "", "administrator": ""} {
		if account, err := link(hash, 9); account != want || err != nil {
			t.Errorf("link %s is of %q, %v", hash, account, err)
		}
	}
	for hash, now := range map[string]int{"first": 9, "expired": 4, "unknown": 9, "second": 10} {
		_, err := link(hash, now)
		wantErr(t, err, ErrNotFound)
	}
	write(t, s.Store, func(tx *Tx) error { return tx.DeleteFirstAdministratorLinks(t.Context()) })
	_, err := link("administrator", 9)
	wantErr(t, err, ErrNotFound)
	write(t, s.Store, func(tx *Tx) error { return tx.DeleteOneTimeLink(t.Context(), "second") })
	wantErr(t, s.Write(t.Context(), func(tx *Tx) error { return tx.DeleteOneTimeLink(t.Context(), "second") }), ErrNotFound)
	write(t, s.Store, func(tx *Tx) error { return tx.UpdateDisabled(t.Context(), "bob", true, at(1)) })
	_, err = link("bob", 9)
	wantErr(t, err, ErrNotFound)
}

func (s suite) outbox(t *testing.T) {
	s.fill(t)
	mail := func(key, account, kind string, due int) *Mail {
		return &Mail{Key: key, Account: account, Kind: kind, Due: at(due), Created: at(0)}
	}
	claim := func(now int) (m *Mail, err error) {
		err = s.Write(t.Context(), func(tx *Tx) error {
			m, err = tx.ClaimMail(t.Context(), at(now), at(now+60))
			return err
		})
		return m, err
	}
	write(t, s.Store, func(tx *Tx) error {
		return errors.Join(tx.UpsertMail(t.Context(), mail("m1", "ann", "reset", 2)), tx.UpsertMail(t.Context(), mail("m2", "ann", "reset", 3)),
			tx.UpsertMail(t.Context(), mail("m3", "bob", "approved", 1)))
	})
	for _, want := range []string{"m3", "m2"} { // m2 replaced m1
		if m, err := claim(5); err != nil || m.Key != want || m.Attempts != 1 {
			t.Fatalf("claimed %+v, %v; want %s", m, err, want)
		}
	}
	_, err := claim(64)
	wantErr(t, err, ErrNotFound)
	write(t, s.Store, func(tx *Tx) error {
		return errors.Join(tx.DeleteMail(t.Context(), "m3"), tx.UpdateMailDue(t.Context(), "m2", at(30)))
	})
	if m, err := claim(30); err != nil || m.Key != "m2" || m.Attempts != 2 {
		t.Errorf("claimed %+v, %v", m, err)
	}
	write(t, s.Store, func(tx *Tx) error {
		_, err := tx.DeleteAccount(t.Context(), "ann")
		return err
	})
	_, err = claim(1000)
	wantErr(t, err, ErrNotFound)
	write(t, s.Store, func(tx *Tx) error {
		late := &Mail{Key: "m4", Account: "bob", Kind: "forgotten", Due: at(4000), Created: at(4000)}
		nobody := &Mail{Key: "m5", Account: "nobody", Kind: "forgotten", Due: at(50), Created: at(50)}
		return errors.Join(tx.exec(t.Context(), "DELETE FROM outbox"), tx.UpsertMail(t.Context(), late), tx.UpsertMail(t.Context(), nobody))
	})
	_, err = claim(3999) // the clock of this machine is a second behind
	wantErr(t, err, ErrNotFound)
	if m, err := claim(100); err != nil || m.Key != "m4" { // the clock was set back
		t.Errorf("claimed %+v, %v", m, err)
	}
	_, err = claim(110) // it is being sent
	wantErr(t, err, ErrNotFound)
}
