package account

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// readerFunc is a function that is an io.Reader.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// beforeToken returns a source of random bytes that calls change before the first read. A log-in
// first reads random bytes after it has verified the password.
func beforeToken(change func()) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		if once := change; once != nil {
			change = nil
			once()
		}
		return rand.Read(b)
	})
}

// TestCredentialsChangeDuringLogin changes, disables or deletes an account while a log-in with its
// earlier credentials is in progress. The log-in must not open a session.
func TestCredentialsChangeDuringLogin(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(owner context.Context, a *Accounts, key string) error{
		"password": func(owner context.Context, a *Accounts, _ string) error {
			in := &api.ChangePasswordInput{}
			in.Body.CurrentPassword, in.Body.NewPassword = testPassword, "another password"
			_, err := a.ChangePassword(owner, in)
			return err
		},
		"reset": func(_ context.Context, a *Accounts, key string) error {
			_, err := a.ResetAccount(t.Context(), &api.AccountInput{AccountKey: key})
			return err
		},
		"disabled": func(owner context.Context, a *Accounts, key string) error {
			_, err := a.DisableAccount(owner, &api.AccountInput{AccountKey: key})
			return err
		},
		"app removed": func(owner context.Context, a *Accounts, key string) error {
			_, err := a.RemoveSecondFactorOf(owner, &api.AccountInput{AccountKey: key})
			return err
		},
		"deleted": func(owner context.Context, a *Accounts, key string) error {
			_, err := a.DeleteAccount(owner, &api.AccountInput{AccountKey: key})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			a := open(t, c, Options{})
			owner, code := withAuthenticator(t, a, c)
			key := CallerFromContext(owner).Account
			in := logInInput(code())
			a.rand = beforeToken(func() {
				if err := change(owner, a, key); err != nil {
					t.Error(err)
				}
			})
			session, err := a.LogIn(t.Context(), in)
			if api.CodeFromError(err) != api.CodeBadCredentials {
				t.Errorf("logged in with %+v, %v", session, err)
			}
		})
	}
}

// TestFailedLoginUsesNoCode checks that a code of an authenticator app stays valid if the session cannot be
// opened, and that a log-in without a code is recorded as refused.
func TestFailedLoginUsesNoCode(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, c, Options{})
	_, code := withAuthenticator(t, a, c)
	if _, err := a.LogIn(t.Context(), logInInput("")); api.CodeFromError(err) != api.CodeAuthenticatorCode {
		t.Errorf("without a code: %v", err)
	}
	if got := refusedEvents(t, a, actionLogIn); len(got) != 1 {
		t.Errorf("refused log-ins: %q", got)
	}
	in, failure := logInInput(code()), errors.New("no random bytes")
	a.rand = readerFunc(func([]byte) (int, error) { return 0, failure })
	if _, err := a.LogIn(t.Context(), in); !errors.Is(err, failure) {
		t.Errorf("without random bytes: %v", err)
	}
	a.rand = rand.Reader
	if _, err := a.LogIn(t.Context(), in); err != nil {
		t.Errorf("with the same code: %v", err)
	}
	if _, err := a.LogIn(t.Context(), in); api.CodeFromError(err) != api.CodeBadCredentials {
		t.Errorf("with a used code: %v", err)
	}
}

// TestAppAddedDuringLogin confirms an authenticator app while a log-in without a code is in
// progress. The log-in must not open a session.
func TestAppAddedDuringLogin(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, c, Options{})
	addUsers(t, a, api.RoleUser, testEmail)
	session, err := a.LogIn(t.Context(), logInInput(""))
	if err != nil {
		t.Fatal(err)
	}
	a.rand = beforeToken(func() { addAuthenticator(t, a, c, session.AccessToken) })
	if session, err := a.LogIn(t.Context(), logInInput("")); api.CodeFromError(err) != api.CodeBadCredentials {
		t.Errorf("logged in with %+v, %v", session, err)
	}
}

// TestResetDuringChangeOfPassword resets an account while somebody who knows its old password sets
// a new one. The account must have no password afterwards.
func TestResetDuringChangeOfPassword(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, c, Options{})
	owner, _ := withAuthenticator(t, a, c)
	// The hash of the new password takes the first random bytes of the request.
	reset := beforeToken(func() {
		if _, err := a.ResetAccount(t.Context(), &api.AccountInput{AccountKey: CallerFromContext(owner).Account}); err != nil {
			t.Error(err)
		}
	})
	a.passwords = auth.NewPasswordHasher(maxConcurrentHashes, 0, reset)
	in := &api.ChangePasswordInput{}
	in.Body.CurrentPassword, in.Body.NewPassword = testPassword, "another password"
	if _, err := a.ChangePassword(owner, in); api.CodeFromError(err) != api.CodeForbidden {
		t.Errorf("changed the password of a reset account: %v", err)
	}
	if account, err := a.FindAccount(t.Context(), testEmail); err != nil || account.State != api.AccountInvited {
		t.Errorf("%+v, %v", account, err)
	}
}

// TestAppRemovedDuringLogin removes an authenticator app while a log-in checks one of its codes. The
// log-in must not restore the app.
func TestAppRemovedDuringLogin(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, c, Options{})
	owner, code := withAuthenticator(t, a, c)
	in := logInInput(code())
	now := a.now
	a.now = func() time.Time { // the first call in LogIn checks the code
		a.now = now
		if _, err := a.RemoveSecondFactorOf(t.Context(), &api.AccountInput{AccountKey: CallerFromContext(owner).Account}); err != nil {
			t.Error(err)
		}
		return now()
	}
	if session, err := a.LogIn(t.Context(), in); api.CodeFromError(err) != api.CodeBadCredentials {
		t.Errorf("logged in with %+v, %v", session, err)
	}
	if account, err := a.FindAccount(t.Context(), testEmail); err != nil || account.SecondFactor {
		t.Errorf("%+v, %v", account, err)
	}
}

// refusedEvents returns "actor:object" of each refused action in the audit log, newest first.
func refusedEvents(t *testing.T, a *Accounts, action string) (events []string) {
	t.Helper()
	err := a.EachAuditEvent(t.Context(), &api.ListAuditEventsInput{Action: action}, 0, func(e *api.AuditEvent) error {
		if e.Outcome == outcomeRefused {
			events = append(events, e.Actor+":"+e.Object)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// TestRefusedLoginNames checks that a log-in with a name that is not an email cannot create events
// of an operator or of the service itself, and that the name is not recorded, because it may be a
// password. A log-in with the name of the local account must be
// recorded, too.
func TestRefusedLoginNames(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, c, Options{})
	addUsers(t, a, api.RoleUser, "known@host")
	for _, name := range []string{"operator", "Service", "local", "correct horse", "P@ssw0rd", testEmail, "known@host"} {
		in := logInInput("")
		in.Body.Username, in.Body.Password = name, "a wrong password"
		if _, err := a.LogIn(t.Context(), in); api.CodeFromError(err) != api.CodeBadCredentials {
			t.Fatal(err)
		}
		c.advance(time.Second)
	}
	want := []string{"known@host:", testEmail + ":", "unknown:", "unknown:", "unknown:", "unknown:", "unknown:"}
	if got := refusedEvents(t, a, actionLogIn); !slices.Equal(got, want) {
		t.Errorf("the refused log-ins are %q, want %q", got, want)
	}
}

// TestResetOwnAccount resets an account in a session of its owner, which must be refused and change
// nothing, and then as the operator.
func TestResetOwnAccount(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, c, Options{})
	addUsers(t, a, api.RoleAdministrator, testEmail)
	token, caller := logIn(t, a)
	in := &api.AccountInput{AccountKey: caller.Account}
	if _, err := a.ResetAccount(WithCaller(t.Context(), caller), in); api.CodeFromError(err) != api.CodeWrongState {
		t.Errorf("reset the own account: %v", err)
	}
	if _, err := a.Authenticate(t.Context(), token); err != nil {
		t.Errorf("the session ended: %v", err)
	}
	if _, err := a.ResetAccount(t.Context(), in); err != nil {
		t.Errorf("the operator cannot reset the only administrator: %v", err)
	}
}

// TestLocalAccount checks that nobody can log in to the account of the embedded service, and that no
// command can break it. If an earlier version has disabled it, the problem says how to enable it.
func TestLocalAccount(t *testing.T) {
	t.Parallel()
	a := open(t, newClock(), Options{})
	addUsers(t, a, api.RoleAdministrator, testEmail)
	if _, err := a.OpenLocalSession(t.Context()); err != nil {
		t.Fatal(err)
	}
	local, err := a.FindAccount(t.Context(), localAccountEmail)
	if err != nil {
		t.Fatal(err)
	}
	in := &api.AccountInput{AccountKey: local.AccountKey}
	for name, change := range map[string]func() error{
		"password":      func() error { return a.SetUserPassword(t.Context(), localAccountEmail, testPassword) },
		"reset":         func() error { _, err := a.ResetAccount(t.Context(), in); return err },
		"disable":       func() error { _, err := a.DisableAccount(t.Context(), in); return err },
		"delete":        func() error { _, err := a.DeleteAccount(t.Context(), in); return err },
		"second_factor": func() error { _, err := a.RemoveSecondFactorOf(t.Context(), in); return err },
		"role": func() error {
			_, err := a.SetRole(t.Context(), &api.SetRoleInput{AccountInput: *in, Body: api.NewRole{Role: api.RoleAdministrator}})
			return err
		},
	} {
		if err := change(); api.CodeFromError(err) != api.CodeWrongState || !strings.Contains(err.Error(), "nobody can log in to the account local") {
			t.Errorf("%s: %v", name, err)
		}
	}
	hash, err := a.checkAndHashPassword(t.Context(), localAccountEmail, testPassword)
	if err != nil {
		t.Fatal(err)
	}
	write := func(change func(tx *store.Tx) error) { // as an earlier version
		t.Helper()
		if err := a.store.Write(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	write(func(tx *store.Tx) error { return tx.UpdatePasswordAndEndSessions(t.Context(), local.AccountKey, hash) })
	credentials := logInInput("")
	credentials.Body.Username = localAccountEmail
	if _, err := a.LogIn(t.Context(), credentials); api.CodeFromError(err) != api.CodeBadCredentials {
		t.Errorf("log-in with the password of the local account: %v", err)
	}
	write(func(tx *store.Tx) error { return tx.UpdateDisabled(t.Context(), local.AccountKey, true, a.now()) })
	for _, open := range []func(context.Context) (api.Session, error){a.OpenLocalSession, a.OpenLocalReadSession} {
		if _, err := open(t.Context()); err == nil || !strings.Contains(err.Error(), "`foretell users enable local`") {
			t.Errorf("the local account is disabled: %v", err)
		}
	}
	if _, err := a.EnableAccount(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if _, err := a.OpenLocalSession(t.Context()); err != nil {
		t.Error(err)
	}
}
