package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"foretell/internal/account"
	"foretell/internal/api"
	"foretell/internal/server"
)

// as logs in and returns the same service with the token of the session.
func (s *testServer) as(tb testing.TB, email, password string) *testServer {
	tb.Helper()
	var session api.Session
	s.must(tb, logInCall(email, password), &session)
	return &testServer{app: s.app, url: s.url, token: session.AccessToken, clock: s.clock}
}

func logInCall(email, password string) call {
	return call{method: "POST", path: "/api/login", json: `{"username":"` + email + `","password":"` + password + `"}`, anonymous: true}
}

// administrator creates an administrator with the link that the service prints, and returns the
// service with the token of that account.
func (s *testServer) administrator(tb testing.TB) *testServer {
	tb.Helper()
	link, err := s.app.NewFirstAdministratorLink(tb.Context(), s.url)
	if err != nil {
		tb.Fatal(err)
	}
	s.must(tb, call{
		method: "POST", path: "/api/account/password", anonymous: true,
		json: `{"code":"` + codeFromLink(tb, link) + `","email":"Root@Example.com","password":"a long password"}`,
	}, nil)
	return s.as(tb, "root@example.com", "a long password")
}

func codeFromLink(tb testing.TB, link string) string {
	tb.Helper()
	address, err := url.Parse(link)
	if err != nil || address.Path != "/password" || len(address.Query().Get("code")) != 43 {
		tb.Fatalf("the link is %q, %v", link, err)
	}
	return address.Query().Get("code")
}

const accessRequest = `{"name":"Bob","organisation":"Example","email":"Bob@example.com","reason":"to learn"}`

// TestAccountLife takes an account from the request to its end.
func TestAccountLife(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	admin := s.administrator(t)
	request := call{method: "POST", path: "/api/account/requests", json: accessRequest, anonymous: true}
	for range 2 { // the second response must not show that the email has a request
		if resp, body := s.send(t, request); resp.StatusCode != http.StatusAccepted || len(body) > 0 {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
	}
	invalid := request
	invalid.json = `{"name":" ","organisation":"Example\u0007","email":"bob at example","reason":"\t"}`
	s.refused(t, refusal{call: invalid, want: 422, code: api.CodeInvalid, field: "email name organisation reason"})
	var requests api.AccessRequestPage
	admin.must(t, call{method: "GET", path: "/api/v1/admin/requests?offset=0&limit=9&status=PENDING"}, &requests)
	if len(requests.AccessRequests) != 1 || requests.AccessRequests[0].Email != "bob@example.com" {
		t.Fatalf("the requests are %+v", requests)
	}
	var invitation api.Invitation
	decide := "/api/v1/admin/requests/" + requests.AccessRequests[0].RequestKey
	admin.must(t, call{method: "PATCH", path: decide + "/approve"}, &invitation)
	code := codeFromLink(t, invitation.Link)
	account := "/api/v1/admin/accounts/" + invitation.AccountKey
	setPassword := call{method: "POST", path: "/api/account/password", json: `{"code":"` + code + `","password":"a long password"}`, anonymous: true}
	admin.refused(t, refusal{call: call{method: "PATCH", path: decide + "/refuse"}, want: 409, code: api.CodeWrongState})
	s.refused(t, refusal{call: logInCall("bob@example.com", ""), want: 422, code: api.CodeInvalid})
	s.refused(t, refusal{call: call{
		method: "POST", path: "/api/account/password", json: `{"code":"` + code + `","password":"Password123"}`, anonymous: true,
	}, want: 422, code: api.CodeInvalid, field: "password"})
	s.must(t, setPassword, nil)
	s.refused(t, refusal{call: setPassword, want: 403, code: api.CodeForbidden}) // once
	if resp, _ := s.send(t, request); resp.StatusCode != http.StatusAccepted {   // nor may this response show that the email has an account
		t.Errorf("%d for a known email", resp.StatusCode)
	}

	bob, other := s.as(t, "bob@example.com", "a long password"), s.as(t, "bob@example.com", "a long password")
	var own api.Account
	bob.must(t, call{method: "GET", path: "/api/v1/account"}, &own)
	if own.Email != "bob@example.com" || own.Role != "user" || own.State != api.AccountActive || own.Organisation != "Example" || own.Usage == nil {
		t.Errorf("the account is %+v", own)
	}
	bob.must(t, call{method: "DELETE", path: "/api/v1/account/session"}, nil)
	unauthorized := refusal{call: call{method: "GET", path: "/api/v1/account"}, want: 401, code: api.CodeUnauthorized}
	bob.refused(t, unauthorized)
	change := call{method: "PUT", path: "/api/v1/account/password", json: `{"currentPassword":"wrong","newPassword":"another password"}`}
	other.refused(t, refusal{call: change, want: 403, code: api.CodeForbidden})
	change.json = `{"currentPassword":"a long password","newPassword":"bob@example.com"}`
	other.refused(t, refusal{call: change, want: 422, code: api.CodeInvalid, field: "newPassword"})
	change.json = `{"currentPassword":"a long password","newPassword":"another password"}`
	other.must(t, change, nil)
	other.refused(t, unauthorized)
	bob = s.as(t, "bob@example.com", "another password")

	admin.must(t, call{method: "PATCH", path: account + "/disable"}, nil)
	bob.refused(t, unauthorized)
	s.refused(t, refusal{call: logInCall("bob@example.com", "another password"), want: 401, code: api.CodeBadCredentials})
	admin.refused(t, refusal{call: call{method: "PATCH", path: account + "/reset"}, want: 409, code: api.CodeWrongState})
	admin.must(t, call{method: "PATCH", path: account + "/enable"}, nil)
	s.as(t, "bob@example.com", "another password")
	admin.must(t, call{method: "PATCH", path: account + "/reset"}, &invitation)
	s.refused(t, refusal{call: logInCall("bob@example.com", "another password"), want: 401, code: api.CodeBadCredentials})
	admin.must(t, call{method: "DELETE", path: account}, nil)
	admin.refused(t, refusal{call: call{method: "GET", path: account}, want: 404, code: api.CodeNotFound})
	setPassword.json = `{"code":"` + codeFromLink(t, invitation.Link) + `","password":"a long password"}`
	s.refused(t, refusal{call: setPassword, want: 403, code: api.CodeForbidden})
	admin.checkEvents(t, "bob@example.com", "login refused, login done, login refused, login done, password.change done, "+
		"password.change refused, logout done, login done, login done, password.set done")
	admin.checkEvents(t, "unknown", "access.request refused, access.request refused, access.request done")
	admin.checkEvents(t, "root@example.com", "account.delete done, account.reset done, account.enable done, account.disable done, "+
		"access.approve done, login done, account.create.first done")
}

// checkEvents compares the events of an actor in the audit log with want, which lists the newest
// first.
func (s *testServer) checkEvents(t *testing.T, actor, want string) {
	t.Helper()
	var log api.AuditEventPage
	s.must(t, call{method: "GET", path: "/api/v1/admin/events?offset=0&limit=99&actor=" + actor}, &log)
	var got []string
	for _, e := range log.Events {
		got = append(got, e.Action+" "+e.Outcome)
		if e.RemoteAddress != "127.0.0.1" || e.RequestID == "" || e.Time == "" {
			t.Errorf("event %+v", e)
		}
	}
	if text := strings.Join(got, ", "); text != want || log.Total != int64(len(got)) {
		t.Errorf("%d events of %s:\n%s\nwant\n%s", log.Total, actor, text, want)
	}
}

// TestAdministratorsOnly checks that every operation of administrators refuses a user and a request
// without a token.
func TestAdministratorsOnly(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	admin := s.administrator(t)
	s.addUser(t)
	user := s.as(t, testUser, testPassword)
	for _, op := range api.Operations() {
		if !op.Administrator {
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			path := strings.NewReplacer("{accountKey}", noKey, "{requestKey}", noKey).Replace(op.Path)
			user.refused(t, refusal{call: call{method: op.Method, path: path}, want: 403, code: api.CodeForbidden})
			s.refused(t, refusal{call: call{method: op.Method, path: path, anonymous: true}, want: 401, code: api.CodeUnauthorized})
			if strings.Contains(op.Path, "{") && op.Method != "PUT" {
				admin.refused(t, refusal{call: call{method: op.Method, path: path}, want: 404, code: api.CodeNotFound})
			}
		})
	}
}

// TestOnlyAdministrator checks that the only administrator cannot be disabled, deleted or made a
// user until there is another one.
func TestOnlyAdministrator(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	admin := s.administrator(t)
	var own api.Account
	admin.must(t, call{method: "GET", path: "/api/v1/account"}, &own)
	path := "/api/v1/admin/accounts/" + own.AccountKey
	for _, c := range []call{
		{method: "PATCH", path: path + "/disable"}, {method: "DELETE", path: path}, {method: "PUT", path: path + "/role", json: `{"role":"user"}`},
	} {
		admin.refused(t, refusal{call: c, want: 409, code: api.CodeWrongState})
	}
	var invitation api.Invitation
	resp := admin.must(t, call{method: "POST", path: "/api/v1/admin/accounts", json: `{"email":"eve@example.com","role":"administrator"}`}, &invitation)
	if resp.StatusCode != http.StatusCreated || !strings.HasSuffix(resp.Header.Get("Location"), invitation.AccountKey) {
		t.Errorf("%d, Location %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	admin.refused(t, refusal{call: call{
		method: "POST", path: "/api/v1/admin/accounts", json: `{"email":"EVE@example.com"}`,
	}, want: 409, code: api.CodeNameTaken})
	admin.must(t, call{method: "PUT", path: path + "/role", json: `{"role":"user"}`}, nil)
	admin.refused(t, refusal{call: call{method: "GET", path: path}, want: 403, code: api.CodeForbidden}) // at once
}

// TestFirstLink checks that the first link needs an email address, and that it is valid while there
// are users but no administrator, even if another service has printed a link since. After that, all
// links are invalid, and the service creates no other.
func TestFirstLink(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	link, err := s.app.NewFirstAdministratorLink(t.Context(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	setWithEmail := func(link, email string) call {
		body := `{"code":"` + codeFromLink(t, link) + `","password":"a long password"` + email + `}`
		return call{method: "POST", path: "/api/account/password", json: body, anonymous: true}
	}
	s.refused(t, refusal{call: setWithEmail(link, ""), want: 422, code: api.CodeInvalid, field: "email"})
	weak := setWithEmail(link, "")
	weak.json = `{"code":"` + codeFromLink(t, link) + `","password":"Password123","email":"root"}`
	s.refused(t, refusal{call: weak, want: 422, code: api.CodeInvalid, field: "email password"})
	s.addUser(t)
	s.refused(t, refusal{call: setWithEmail(link, `,"email":"`+testUser+`"`), want: 409, code: api.CodeNameTaken})
	again, err := s.app.NewFirstAdministratorLink(t.Context(), s.url) // as another service would
	if err != nil {
		t.Fatal(err)
	}
	s.must(t, setWithEmail(link, `,"email":"root@example.com"`), nil)
	for _, used := range []string{link, again} {
		s.refused(t, refusal{call: setWithEmail(used, `,"email":"other@example.com"`), want: 403, code: api.CodeForbidden})
	}
	if _, body := s.send(t, setWithEmail(link, `,"email":"other@example.com"`)); !strings.Contains(string(body), "restart the service") {
		t.Errorf("the problem of a used link does not say how to get another: %s", body)
	}
	if link, err := s.app.NewFirstAdministratorLink(t.Context(), s.url); link != "" || err != nil {
		t.Errorf("another link %q, %v", link, err)
	}
}

// TestLockout checks that an owner can log in while somebody else tries wrong passwords for the
// account from another address.
func TestLockout(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := newTestServer(t, server.Options{Now: func() time.Time { return now }, TrustedProxies: loopback}, account.Options{LoginBurst: 1000})
	s.addUser(t)
	from := func(address, password string) call {
		c := logInCall(testUser, password)
		c.header = map[string]string{"X-Forwarded-For": address}
		return c
	}
	s.must(t, from("192.0.2.1", testPassword), nil)
	for range 10 {
		s.refused(t, refusal{call: from("192.0.2.2", "wrong"), want: 401, code: api.CodeBadCredentials})
	}
	s.refused(t, refusal{call: from("192.0.2.2", testPassword), want: 429, code: api.CodeTooMany})
	s.must(t, from("192.0.2.3", testPassword), nil)
}

// TestRequestLimit checks that the requests for access from one address are limited.
func TestRequestLimit(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	request := call{method: "POST", path: "/api/account/requests", json: accessRequest, anonymous: true}
	for range 5 {
		s.must(t, request, nil)
	}
	resp, _ := s.send(t, request)
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("%d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
}

// TestAccountPages sends the forms as a browser does.
func TestAccountPages(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	admin := s.administrator(t)
	post := func(path string, form url.Values) call {
		return call{method: "POST", path: path, body: form.Encode(), header: map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}, anonymous: true}
	}
	check := func(c call, status int, want string) {
		t.Helper()
		resp, body := s.send(t, c)
		if resp.StatusCode != status || !strings.Contains(string(body), want) {
			t.Errorf("%s %s: %d %s", c.method, c.path, resp.StatusCode, body)
		}
		if policy := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the policy is %q", c.path, policy)
		}
	}
	check(call{method: "GET", path: "/request-access"}, 200, `<form method="post" action="/request-access"`)
	form := url.Values{"name": {"<b>Bob"}, "email": {"bob@example.com"}, "organisation": {""}, "reason": {"to learn"}}
	check(post("/request-access", form), 422, `<a href="#organisation">Organisation</a>: fill in this field.`)
	form.Set("organisation", " ")
	check(post("/request-access", form), 422, `<a href="#organisation">Organisation</a>: fill in this field.`)
	check(post("/request-access", form), 422, `value="&lt;b&gt;Bob"`)
	form.Set("organisation", "Example")
	check(post("/request-access", form), 202, "Thank you")

	check(call{method: "GET", path: "/forgotten-password"}, 200, `<p class="note" role="status">This service sends no emails: ask an administrator`)
	check(call{method: "GET", path: "/sign-in"}, 200, "Forgot your password? Ask an administrator")
	check(call{method: "GET", path: "/password?code=x"}, 403, "Ask an administrator for a new link.")
	check(post("/forgotten-password", url.Values{"email": {"<b>"}}), 422, `value="&lt;b&gt;"`)
	check(post("/forgotten-password", url.Values{"email": {"root@example.com"}}), 409, "This service sends no emails")

	var invitation api.Invitation
	admin.must(t, call{method: "POST", path: "/api/v1/admin/accounts", json: `{"email":"eve@example.com"}`}, &invitation)
	code := codeFromLink(t, invitation.Link)
	for range 2 { // opening the link does not use it up
		check(call{method: "GET", path: "/password?code=" + code}, 200, `value="eve@example.com"`)
	}
	check(call{method: "GET", path: "/password?code=unknown"}, 403, "was used or has expired")
	passwords := url.Values{"code": {code}, "password": {"a long password"}, "repeated": {"a wrong password"}}
	check(post("/password", passwords), 422, "Differs from the new password.")
	passwords.Set("repeated", "a long password")
	check(post("/password", passwords), 200, "foretell login "+s.url+" --username eve@example.com")
	check(post("/password", passwords), 403, "was used or has expired")
	s.as(t, "eve@example.com", "a long password")
}
