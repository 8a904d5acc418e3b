package server_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/server"
)

// TestOneTimeLinkIsShownOnce creates one-time links with the forms of the dashboard. The page that
// shows a link can be reloaded: it then says that the link was shown, and the link stays valid.
func TestOneTimeLinkIsShownOnce(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	admin := s.administrator(t)
	b := newBrowser(t, s.url)
	b.expect(t, "/sign-in", url.Values{"username": {"root@example.com"}, "password": {"a long password"}}, 200, "<title>Home")
	send := func(path string, form url.Values) {
		t.Helper()
		resp, page := b.visit(t, path, form)
		found := regexp.MustCompile(`<code>([^<]+/password\?code=[\w-]{43})</code>`).FindStringSubmatch(page)
		if found == nil || resp.Request.Method != "GET" {
			t.Fatalf("%s: the response is that of %s %s, and its page is\n%s", path, resp.Request.Method, resp.Request.URL, page)
		}
		again := resp.Request.URL.RequestURI()
		if reloaded := b.expect(t, again, nil, 200, "The one-time link is shown only once"); strings.Contains(reloaded, "password?code=") {
			t.Errorf("%s shows the link again", again)
		}
		b.expect(t, strings.TrimPrefix(found[1], s.url), nil, 200, `name="password"`)
	}
	send("/admin/accounts", url.Values{"email": {"eve@example.com"}, "role": {"user"}})
	var accounts api.AccountPage
	admin.must(t, call{method: "GET", path: "/api/v1/admin/accounts?offset=0&limit=10"}, &accounts)
	for _, one := range accounts.Accounts {
		if one.Email == "eve@example.com" {
			send("/admin/accounts/"+one.AccountKey, url.Values{"do": {"reset"}})
		}
	}
}
