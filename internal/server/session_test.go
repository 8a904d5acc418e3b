package server_test

import (
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/server"
)

// TestSessions lists and ends the sessions of an account.
func TestSessions(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	stranger := s.administrator(t)
	s.addUser(t)
	list := func(s *testServer) []api.SessionEntry {
		t.Helper()
		var out api.SessionList
		s.must(t, call{method: "GET", path: "/api/v1/account/sessions"}, &out)
		return out.Sessions
	}
	logIn := logInCall(testUser, testPassword)
	logIn.header = map[string]string{"User-Agent": "a browser"}
	s.must(t, logIn, nil)
	second, third := s.as(t, testUser, testPassword), s.as(t, testUser, testPassword)
	sessions := list(third)
	if len(sessions) != 3 || !sessions[0].Current || sessions[1].Current || sessions[2].Client != "a browser" {
		t.Fatalf("the sessions are %+v", sessions)
	}
	for _, entry := range sessions {
		if entry.RemoteAddress != "127.0.0.1" || entry.CreatedOn == "" || entry.ExpiresOn <= entry.CreatedOn {
			t.Errorf("the session is %+v", entry)
		}
	}
	end := call{method: "DELETE", path: "/api/v1/account/sessions/" + sessions[1].SessionKey}
	stranger.refused(t, refusal{call: end, want: 404, code: api.CodeNotFound})
	third.must(t, end, nil)
	third.refused(t, refusal{call: end, want: 404, code: api.CodeNotFound})
	second.refused(t, refusal{call: call{method: "GET", path: "/api/v1/account"}, want: 401, code: api.CodeUnauthorized})
	for range 2 {
		third.must(t, call{method: "DELETE", path: "/api/v1/account/sessions"}, nil)
		if left := list(third); len(left) != 1 || !left[0].Current {
			t.Errorf("the sessions left are %+v", left)
		}
	}
	if others := list(stranger); len(others) != 1 {
		t.Errorf("the sessions of the stranger are %+v", others)
	}
	stranger.checkEvents(t, testUser, "session.end done, session.end done, login done, login done, login done")
}

// TestEndSessionsOnPage ends sessions on the page of the account, which needs a recent log-in.
func TestEndSessionsOnPage(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	s := newTestServer(t, server.Options{Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	s.as(t, testUser, testPassword)
	ahead.Store(int64(6 * time.Minute))
	b.expect(t, "/account/sessions/end", url.Values{}, 403, "log in again to end another session")
	b.signIn(t)
	page := b.expect(t, "/account/sessions/end", url.Values{}, 200, "<title>Account")
	if strings.Contains(page, "End all other sessions") {
		t.Error("there are other sessions left")
	}
}
