package account

import (
	"testing"
	"time"

	"foretell/internal/api"
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
