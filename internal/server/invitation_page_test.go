package server_test

import (
	"encoding/base64"
	"net/http"
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
		if reloaded := b.expect(t, again, nil, 200, "The one-time link is shown or sent only once"); strings.Contains(reloaded, "password?code=") {
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

// TestOneTimeLinksOfTwoTabs creates two accounts before the browser loads the page of either. Each
// page must show its own link, and none that another host of the site has put into a cookie.
func TestOneTimeLinksOfTwoTabs(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.administrator(t)
	b := newBrowser(t, s.url)
	b.expect(t, "/sign-in", url.Values{"username": {"root@example.com"}, "password": {"a long password"}}, 200, "<title>Home")
	address, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	name := b.client.Jar.Cookies(address)[0].Name
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	pages := map[string]string{}
	for _, email := range []string{"ann@example.com", "bob@example.com", "eve@example.com"} {
		resp, _ := b.visit(t, "/admin/accounts", url.Values{"email": {email}, "role": {"user"}})
		pages[email] = resp.Header.Get("Location")
	}
	// A message of another session has a valid identifier, but for another key.
	other := newBrowser(t, s.url)
	other.expect(t, "/sign-in", url.Values{"username": {"root@example.com"}, "password": {"a long password"}}, 200, "<title>Home")
	other.client.CheckRedirect = b.client.CheckRedirect
	resp, _ := other.visit(t, "/admin/accounts", url.Values{"email": {"evil.example@example.com"}, "role": {"user"}})
	b.addCookies(t, other.messages(t))
	_, id, _ := strings.Cut(pages["eve@example.com"], "?new-link=")
	planted := base64.RawURLEncoding.EncodeToString([]byte(`{"Email":"eve@example.com","Link":"https://evil.example/"}`))
	for _, suffix := range []string{"-link", "-message-x", "-message-" + id} {
		b.client.Jar.SetCookies(address, []*http.Cookie{{Name: name + suffix, Value: planted, Path: "/"}})
	}
	for _, email := range []string{"ann@example.com", "bob@example.com"} {
		b.expect(t, pages[email], nil, 200, "<bdi>"+email+"</bdi> can set a password now with this link")
	}
	for _, path := range []string{"/admin/accounts", "/admin/accounts?new-link=x", pages["eve@example.com"], resp.Header.Get("Location")} {
		if page := b.expect(t, path, nil, 200, "<title>Accounts"); strings.Contains(page, "evil.example/") || strings.Contains(page, "can set a password now") {
			t.Errorf("%s shows the link of another host or session", path)
		}
	}
}
