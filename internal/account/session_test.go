package account

import (
	"context"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
)

// TestMaxSessions opens one session more than allowed. The oldest session must end, and no other.
func TestMaxSessions(t *testing.T) {
	c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	a := open(t, c, Options{MaxSessions: 2})
	var tokens []string
	for _, email := range []string{"other@example.com", "ada@example.com"} {
		if err := a.AddUser(t.Context(), api.NewAccount{Email: email}, "a long password"); err != nil {
			t.Fatal(err)
		}
	}
	for _, email := range []string{"other@example.com", "ada@example.com", "ada@example.com", "ada@example.com"} {
		session, err := a.LogIn(t.Context(), &api.LogInInput{Body: api.Credentials{Username: email, Password: "a long password"}})
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, session.AccessToken)
		c.advance(time.Second)
	}
	for i, valid := range []bool{true, false, true, true} {
		if _, err := a.Authenticate(t.Context(), tokens[i]); (err == nil) != valid {
			t.Errorf("session %d: %v", i, err)
		}
	}
}

// TestLocalSessions checks that the sessions of commands that run without a server do not end each
// other.
func TestLocalSessions(t *testing.T) {
	a := open(t, &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, Options{MaxSessions: 1})
	first, err := a.OpenLocalSession(t.Context())
	if err == nil {
		_, err = a.OpenLocalSession(t.Context())
	}
	if err == nil {
		_, err = a.Authenticate(t.Context(), first.AccessToken)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestEndSessionAfterLogin checks that a session can end others of the account only in the
// minutes after its log-in, and itself at any time.
func TestEndSessionAfterLogin(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, c, Options{})
	addUsers(t, a, api.RoleUser, testEmail)
	openSession := func() (ctx context.Context, key string) {
		_, caller := logIn(t, a)
		return WithCaller(t.Context(), caller), auth.SessionKey(caller.session)
	}
	old, oldKey := openSession()
	c.advance(maxRecentLoginAge + time.Second)
	recent, recentKey := openSession()
	if _, err := a.EndSession(old, &api.SessionInput{SessionKey: recentKey}); api.CodeFromError(err) != api.CodeForbidden {
		t.Errorf("an old session ended another: %v", err)
	}
	if _, err := a.EndOtherSessions(old, &api.None{}); api.CodeFromError(err) != api.CodeForbidden {
		t.Errorf("an old session ended all others: %v", err)
	}
	if _, err := a.EndSession(old, &api.SessionInput{SessionKey: oldKey}); err != nil {
		t.Errorf("a session did not end itself: %v", err)
	}
	old, _ = openSession()
	c.advance(maxRecentLoginAge)
	if _, err := a.EndOtherSessions(old, &api.None{}); err != nil {
		t.Errorf("a recent session did not end others: %v", err)
	}
	if list, err := a.ListSessions(old, &api.None{}); err != nil || len(list.Sessions) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := a.EndOtherSessions(recent, &api.None{}); err == nil {
		t.Error("an ended session ends others")
	}
}
