package server_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/account"
	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/server"
)

// authenticator is the authenticator app of an account.
type authenticator struct {
	secret auth.TOTP
	last   int64 // the step of the last code
	clock  *testClock
}

// code returns the oldest code that was not used before and is valid for ten more seconds, or also
// longer. Three codes are valid at any time. After the last of them, code sets the clock of the service
// forward to the next step.
func (a *authenticator) code(tb testing.TB) string {
	tb.Helper()
	a.last = max(a.last+1, (a.clock.now().Unix()+10)/30-1)
	a.clock.advanceTo(time.Unix(30*(a.last-1), 0))
	code, err := a.secret.Code(a.last)
	if err != nil {
		tb.Fatal(err)
	}
	return code
}

const addSecondFactor = `{"currentPassword":"` + testPassword + `"}`

// addAuthenticator adds an authenticator app to the account of s.
func (s *testServer) addAuthenticator(tb testing.TB) *authenticator {
	tb.Helper()
	var added api.SecondFactor
	s.must(tb, call{method: "POST", path: "/api/v1/account/second-factor", json: addSecondFactor}, &added)
	u, err := url.Parse(added.URL)
	if err != nil || u.Scheme != "otpauth" || u.Query().Get("secret") != added.Secret {
		tb.Fatalf("%q, %v", added.URL, err)
	}
	app := &authenticator{secret: auth.TOTP(added.Secret), clock: s.clock}
	s.must(tb, confirmCall(app.code(tb)), nil)
	return app
}

func confirmCall(code string) call {
	return call{method: "PUT", path: "/api/v1/account/second-factor", json: `{"authenticatorCode":"` + code + `"}`}
}

func codeLogIn(code string) call {
	return call{
		method: "POST", path: "/api/login", anonymous: true,
		json: `{"username":"` + testUser + `","password":"` + testPassword + `","authenticatorCode":"` + code + `"}`,
	}
}

// TestSecondFactor adds an authenticator app, logs in with it, and removes it.
func TestSecondFactor(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	admin := s.administrator(t)
	s.addUser(t)
	user, other := s.as(t, testUser, testPassword), s.as(t, testUser, testPassword)

	add := call{method: "POST", path: "/api/v1/account/second-factor", json: `{"currentPassword":"wrong"}`}
	user.refused(t, refusal{call: add, want: 403, code: api.CodeForbidden})
	user.refused(t, refusal{call: confirmCall("123456"), want: 409, code: api.CodeWrongState})
	add.json = addSecondFactor
	user.must(t, add, nil) // replaced below, because it is not confirmed
	user.refused(t, refusal{call: confirmCall("12345x"), want: 403, code: api.CodeForbidden})
	other.must(t, call{method: "GET", path: "/api/v1/account"}, nil)

	app := user.addAuthenticator(t)
	other.refused(t, refusal{call: call{method: "GET", path: "/api/v1/account"}, want: 401, code: api.CodeUnauthorized})
	user.refused(t, refusal{call: add, want: 409, code: api.CodeWrongState})
	s.refused(t, refusal{call: logInCall(testUser, "a wrong password"), want: 401, code: api.CodeBadCredentials})
	s.refused(t, refusal{call: logInCall(testUser, testPassword), want: 401, code: api.CodeAuthenticatorCode})
	s.refused(t, refusal{call: codeLogIn("12345x"), want: 401, code: api.CodeBadCredentials})
	code := app.code(t)
	s.must(t, codeLogIn(code), nil)
	s.refused(t, refusal{call: codeLogIn(code), want: 401, code: api.CodeBadCredentials}) // once

	remove := call{method: "PATCH", path: "/api/v1/account/second-factor/remove"}
	remove.json = `{"currentPassword":"wrong","authenticatorCode":"` + app.code(t) + `"}`
	user.refused(t, refusal{call: remove, want: 403, code: api.CodeForbidden})
	remove.json = `{"currentPassword":"` + testPassword + `","authenticatorCode":"12345x"}`
	for range 2 {
		user.refused(t, refusal{call: remove, want: 403, code: api.CodeForbidden})
	}
	// Five wrong codes are allowed, whether they are sent to confirm the app, to log in or to remove the
	// app. After them even a valid code is refused.
	code = app.code(t)
	remove.json = `{"currentPassword":"` + testPassword + `","authenticatorCode":"` + code + `"}`
	user.refused(t, refusal{call: remove, want: 429, code: api.CodeTooMany})
	s.refused(t, refusal{call: codeLogIn(code), want: 429, code: api.CodeTooMany})
	if resp, _ := user.send(t, remove); resp.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After after too many wrong codes")
	}
	var own api.Account
	user.must(t, call{method: "GET", path: "/api/v1/account"}, &own)
	if !own.SecondFactor {
		t.Error("the account has no second factor")
	}

	lost := call{method: "PATCH", path: "/api/v1/admin/accounts/" + own.AccountKey + "/remove-second-factor"}
	user.refused(t, refusal{call: lost, want: 403, code: api.CodeForbidden})
	admin.must(t, lost, &own)
	if own.SecondFactor {
		t.Error("the second factor was not removed")
	}
	admin.refused(t, refusal{call: lost, want: 409, code: api.CodeWrongState})
	user = s.as(t, testUser, testPassword)
	user.refused(t, refusal{call: remove, want: 409, code: api.CodeWrongState})
}

// TestConfirmationLimit guesses codes of an app that was added and not confirmed, as a thief of the
// token would. After five wrong codes even the valid one is refused.
func TestConfirmationLimit(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	owner, thief := s.as(t, testUser, testPassword), s.as(t, testUser, testPassword)
	var added api.SecondFactor
	owner.must(t, call{method: "POST", path: "/api/v1/account/second-factor", json: addSecondFactor}, &added)
	for range 5 {
		thief.refused(t, refusal{call: confirmCall("12345x"), want: 403, code: api.CodeForbidden})
	}
	thief.refused(t, refusal{call: confirmCall("12345x"), want: 429, code: api.CodeTooMany})
	app := &authenticator{secret: auth.TOTP(added.Secret), clock: s.clock}
	thief.refused(t, refusal{call: confirmCall(app.code(t)), want: 429, code: api.CodeTooMany})
	s.as(t, testUser, testPassword) // no code is needed
}

// TestConfirmationTimeLimit confirms an app fourteen and fifteen minutes after it was added.
func TestConfirmationTimeLimit(t *testing.T) {
	t.Parallel()
	for minutes, want := range map[int64]int{14: 204, 15: 409} {
		var ahead atomic.Int64 // minutes
		now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load()) * time.Minute) }
		s := newTestServer(t, server.Options{Now: now})
		s.addUser(t)
		user := s.as(t, testUser, testPassword)
		var added api.SecondFactor
		user.must(t, call{method: "POST", path: "/api/v1/account/second-factor", json: addSecondFactor}, &added)
		ahead.Store(minutes)
		code, err := auth.TOTP(added.Secret).Code(now().Unix() / 30)
		if err != nil {
			t.Fatal(err)
		}
		if resp, body := user.send(t, confirmCall(code)); resp.StatusCode != want {
			t.Errorf("after %d minutes: %d %s", minutes, resp.StatusCode, body)
		}
	}
}

// TestRemoveSecondFactor removes the authenticator app of the caller.
func TestRemoveSecondFactor(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	user := s.as(t, testUser, testPassword)
	app := user.addAuthenticator(t)
	user.must(t, call{
		method: "PATCH", path: "/api/v1/account/second-factor/remove",
		json: `{"currentPassword":"` + testPassword + `","authenticatorCode":"` + app.code(t) + `"}`,
	}, nil)
	s.as(t, testUser, testPassword)
}

// TestSecondFactorRequired checks that an account without an authenticator app can only set one up
// and manage its sessions.
func TestSecondFactorRequired(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{}, account.Options{RequireSecondFactor: true})
	s.addUser(t)
	user := s.as(t, testUser, testPassword)
	for _, path := range []string{"/api/v1/datasets?offset=0&limit=1", "/api/v1/training?offset=0&limit=1"} {
		user.refused(t, refusal{call: call{method: "GET", path: path}, want: 403, code: api.CodeNoSecondFactor})
	}
	user.must(t, call{method: "GET", path: "/api/v1/account"}, nil)
	s.as(t, testUser, testPassword)
	var list api.SessionList
	user.must(t, call{method: "GET", path: "/api/v1/account/sessions"}, &list)
	user.must(t, call{method: "DELETE", path: "/api/v1/account/sessions/" + list.Sessions[0].SessionKey}, nil)
	user.must(t, call{method: "DELETE", path: "/api/v1/account/sessions"}, nil)
	app := user.addAuthenticator(t)
	user.must(t, call{method: "GET", path: "/api/v1/datasets?offset=0&limit=1"}, nil)
	s.must(t, codeLogIn(app.code(t)), nil)
}

// TestSecondFactorPages sets up an authenticator app in the browser at a service that requires
// it, logs in with the app, and removes it. Until the app is confirmed, its page can be reloaded.
func TestSecondFactorPages(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{}, account.Options{RequireSecondFactor: true})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.expect(t, "/sign-in", url.Values{"username": {testUser}, "password": {testPassword}}, 200, "This service requires an authenticator app.")
	b.expect(t, "/account/second-factor", url.Values{"current": {"wrong"}}, 403, `<a href="#add-current">Current password</a>: is wrong.`)
	resp, page := b.visit(t, "/account/second-factor", url.Values{"current": {testPassword}})
	secret := regexp.MustCompile(`Secret: <code>([A-Z2-7 ]+)</code>`).FindStringSubmatch(page)
	if secret == nil || resp.Request.Method != "GET" {
		t.Fatalf("the response to %s %s has no secret, or is that to the form:\n%s", resp.Request.Method, resp.Request.URL, page)
	}
	if b.expect(t, resp.Request.URL.RequestURI(), nil, 200, secret[0]); len(b.messages(t)) != 1 {
		t.Errorf("the messages are %v", b.messages(t))
	}
	resp, page = b.visit(t, "/account/second-factor", url.Values{"current": {testPassword}})
	if secret = regexp.MustCompile(`Secret: <code>([A-Z2-7 ]+)</code>`).FindStringSubmatch(page); secret == nil || len(b.messages(t)) != 1 {
		t.Fatalf("after the second set-up, the messages are %v, and the page is\n%s", b.messages(t), page)
	}
	address, messages := resp.Request.URL.RequestURI(), b.messages(t)
	b.expect(t, "/account/second-factor/confirm", url.Values{"code": {"12345x"}, "new-app": {resp.Request.URL.Query().Get("new-app")}}, 403, secret[0])
	other := newBrowser(t, s.url)
	other.expect(t, "/sign-in", url.Values{"username": {testUser}, "password": {testPassword}}, 200, "<title>Account")
	other.addCookies(t, messages)
	if page := other.expect(t, address, nil, 200, "The secret of the new authenticator app is no longer shown."); strings.Contains(page, "QR code") {
		t.Error("another session shows the secret")
	}
	app := &authenticator{secret: auth.TOTP(strings.ReplaceAll(secret[1], " ", "")), clock: s.clock}
	b.expect(t, "/account/second-factor/confirm", url.Values{"code": {"12345x"}}, 403, "is wrong or was used before")
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	b.expect(t, "/account/second-factor/confirm", url.Values{"code": {app.code(t)}}, 303, "") // of another tab, which does not know the message
	b.expectNoMessages(t, "confirming the app")
	b.client.CheckRedirect = nil
	b.addCookies(t, messages) // as if the app had been confirmed in another browser
	b.expect(t, address, nil, 200, "Remove the app")
	b.expectNoMessages(t, "showing the page of the account with an app")
	b.addCookies(t, messages)
	b.expect(t, "/sign-out", url.Values{}, 200, "<title>Sign in")
	b.expectNoMessages(t, "signing out")
	b.expect(t, "/sign-in", url.Values{"username": {testUser}, "password": {testPassword}}, 401, "needs the code of its authenticator app")
	b.expect(t, "/sign-in", url.Values{"username": {testUser}, "password": {testPassword}, "code": {app.code(t)}}, 200, "<title>Home")
	b.expect(t, "/account/second-factor/remove", url.Values{"current": {testPassword}, "code": {app.code(t)}}, 200, "Set up an app")
}

// cookies returns the cookies that the browser sends to the service.
func (b *browser) cookies(t *testing.T) []*http.Cookie {
	t.Helper()
	return b.client.Jar.Cookies(b.parseBase(t))
}

// messages returns the cookies with the messages for pages that the browser has.
func (b *browser) messages(t *testing.T) []*http.Cookie {
	t.Helper()
	return slices.DeleteFunc(b.cookies(t), func(one *http.Cookie) bool { return !strings.Contains(one.Name, "-message-") })
}

func (b *browser) expectNoMessages(t *testing.T, after string) {
	t.Helper()
	if messages := b.messages(t); len(messages) > 0 {
		t.Errorf("after %s, the browser has the messages %v", after, messages)
	}
}

// addCookies adds cookies that the service may have set in another browser.
func (b *browser) addCookies(t *testing.T, list []*http.Cookie) {
	t.Helper()
	for _, one := range list {
		one.Path = "/"
	}
	b.client.Jar.SetCookies(b.parseBase(t), list)
}

func (b *browser) parseBase(t *testing.T) *url.URL {
	t.Helper()
	address, err := url.Parse(b.base)
	if err != nil {
		t.Fatal(err)
	}
	return address
}
