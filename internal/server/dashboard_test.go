package server_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"foretell/internal/server"
)

// browser sends requests as a browser does: it keeps cookies, follows redirects and says
// that its requests come from the same site.
type browser struct {
	client http.Client
	base   string
	site   string
	isHTMX bool   // whether the script of a page sends the requests
	upload string // the identifier of an upload, or ""
	// referer is the path of the page that sends the requests. It is not sent if it is empty.
	referer string
}

func newBrowser(t *testing.T, base string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{client: http.Client{Jar: jar}, base: base, site: "same-origin"}
}

// visit sends a request and returns the response and its page. A nil form is a GET.
func (b *browser) visit(t *testing.T, path string, form url.Values) (*http.Response, string) {
	t.Helper()
	method, body := http.MethodGet, ""
	if form != nil {
		method, body = http.MethodPost, form.Encode()
	}
	return b.send(t, method, path, body, "application/x-www-form-urlencoded")
}

func (b *browser) send(t *testing.T, method, path, body, kind string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Sec-Fetch-Site", b.site)
	if b.referer != "" {
		req.Header.Set("Referer", b.base+b.referer)
	}
	if b.isHTMX {
		req.Header.Set("HX-Request", "true")
	}
	if b.upload != "" {
		req.Header.Set("Foretell-Upload", b.upload)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(page)
}

// expect visits a page and checks that it has the status and contains the text.
func (b *browser) expect(t *testing.T, path string, form url.Values, status int, text string) string {
	t.Helper()
	resp, page := b.visit(t, path, form)
	if resp.StatusCode != status || !strings.Contains(page, text) {
		t.Fatalf("%s: %d, without %q:\n%s", path, resp.StatusCode, text, page)
	}
	return page
}

func (b *browser) signIn(t *testing.T) {
	t.Helper()
	b.expect(t, "/sign-in", url.Values{"username": {testUser}, "password": {testPassword}}, 200, "<title>Home")
}

// TestSession signs in and out in the browser.
func TestSession(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.expect(t, "/datasets", nil, 200, `name="next" value="/datasets"`)
	b.expect(t, "/sign-in", url.Values{"username": {testUser}, "password": {"wrong"}}, 401, "Wrong email or password.")
	b.expect(t, "/sign-in", url.Values{"username": {testUser}, "password": {testPassword}, "next": {"//evil.example/"}}, 200, "<title>Home")
	address, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	cookies := b.client.Jar.Cookies(address)
	if len(cookies) != 1 || len(cookies[0].Value) != 43 {
		t.Fatalf("the cookies are %v", cookies)
	}
	stolen := newBrowser(t, s.url)
	stolen.client.Jar.SetCookies(address, cookies)
	stolen.expect(t, "/datasets", nil, 200, "<title>Datasets")
	b.signIn(t) // ends the session that the browser has
	stolen.expect(t, "/datasets", nil, 200, "Your session has ended: sign in again.")
	stolen.client.Jar.SetCookies(address, b.client.Jar.Cookies(address))
	stolen.expect(t, "/datasets", nil, 200, "<title>Datasets")
	b.site = "cross-site"
	b.expect(t, "/sign-out", url.Values{}, 403, "another site")
	b.site = "same-origin"
	b.expect(t, "/nowhere", nil, 404, "There is no page at this address.")
	for _, path := range []string{"/datasets/%2e%2e", "/training/%2e", "/predictions?dataset=.."} { // no keys, but parts of a path
		b.expect(t, path, nil, 404, "<title>")
	}
	b.expect(t, "/sign-out", url.Values{}, 200, "<title>Sign in")
	stolen.expect(t, "/datasets", nil, 200, "Your session has ended: sign in again.") // the session has ended, not only the cookie
}

// TestOriginOfForm sends a form with the headers of different senders: only a page of the service may
// send it.
func TestOriginOfForm(t *testing.T) {
	t.Parallel()
	direct, proxied := newTestServer(t, server.Options{}), newTestServer(t, server.Options{TrustedProxies: loopback})
	for name, c := range map[string]struct {
		header map[string]string
		behind bool // a trusted proxy
		want   int
	}{
		"page":                  {map[string]string{"Sec-Fetch-Site": "same-origin"}, false, 401},
		"other_site":            {map[string]string{"Sec-Fetch-Site": "cross-site"}, false, 403},
		"program":               {nil, false, 401},
		"session_of_no_page":    {map[string]string{"Cookie": "foretell-" + direct.url[strings.LastIndex(direct.url, ":")+1:] + "=token"}, false, 403},
		"origin_is_the_host":    {map[string]string{"Origin": direct.url}, false, 401},
		"other_origin":          {map[string]string{"Origin": "http://evil.example"}, false, 403},
		"origin_at_proxy":       {map[string]string{"Origin": "https://f.example", "X-Forwarded-Host": "f.example", "X-Forwarded-Proto": "https"}, true, 401},
		"other_origin_at_proxy": {map[string]string{"Origin": "https://evil.example", "X-Forwarded-Host": "f.example", "X-Forwarded-Proto": "https"}, true, 403},
		"proxy_not_trusted":     {map[string]string{"Origin": "http://f.example", "X-Forwarded-Host": "f.example"}, false, 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := direct
			if c.behind {
				s = proxied
			}
			c.header = maps.Clone(c.header)
			if c.header == nil {
				c.header = map[string]string{}
			}
			c.header["Content-Type"] = "application/x-www-form-urlencoded"
			resp, body := s.send(t, call{method: "POST", path: "/sign-in", body: "username=x%40example.com&password=wrong", header: c.header, anonymous: true})
			if resp.StatusCode != c.want {
				t.Errorf("status %d, want %d: %s", resp.StatusCode, c.want, body)
			}
		})
	}
}

// TestFormAfterSession sends a form after the session has ended. Signing in again must lead back to
// the page of the form.
func TestFormAfterSession(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	page := b.expect(t, "/datasets", nil, 200, "<title>Sign in")
	if strings.Contains(page, "session has ended") {
		t.Error("the first page says that a session has ended")
	}
	b.referer = "/datasets?state=FAILED"
	page = b.expect(t, "/account/password", url.Values{"new": {"x"}}, 200, "Your session has ended, so what you sent was not carried out: sign in again and send it again.")
	if !strings.Contains(page, `name="next" value="/datasets?state=FAILED"`) {
		t.Errorf("signing in does not lead back to the form:\n%s", page)
	}
	b.referer = ".evil.example/datasets" // another host that begins with the same name
	b.expect(t, "/account/password", url.Values{"new": {"x"}}, 200, `name="next" value="/"`)
}

// TestPathOfForm opens the paths to which forms are sent. Such a path is in the address bar
// after the service has answered a form with a page.
func TestPathOfForm(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	for path, want := range map[string]string{
		"/account/password": "/account", "/account/sessions/end": "/account", "/sign-out": "/",
		"/admin/requests/key": "/admin", "/models/key/predict": "/models/key",
	} {
		resp, page := b.visit(t, path, nil)
		if resp.Request.URL.Path != want || !strings.HasPrefix(page, "<!DOCTYPE html>") {
			t.Errorf("%s leads to %s: %s", path, resp.Request.URL.Path, page)
		}
	}
	if resp, _ := b.visit(t, "/datasets/", nil); resp.Request.URL.Path != "/datasets" {
		t.Errorf("/datasets/ leads to %s", resp.Request.URL.Path)
	}
	if page := b.expect(t, "/no/such/page", nil, 404, "There is no page at this address"); !strings.Contains(page, "Sign out") {
		t.Errorf("the page of an unknown address looks signed out: %s", page)
	}
	b.expect(t, "/admin/jobs", url.Values{}, 405, "Method POST is not allowed at this address.")
	if resp, body := s.send(t, call{method: "GET", path: "/account/password"}); resp.StatusCode != http.StatusMethodNotAllowed || !strings.HasPrefix(string(body), "{") {
		t.Errorf("a client that is not a browser: %d %s", resp.StatusCode, body)
	}
}

// TestSecureCookie checks the attributes of the session cookie behind TLS.
func TestSecureCookie(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{PublicURL: "https://foretell.example.com"})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, _ := b.visit(t, "/sign-in", url.Values{"username": {testUser}, "password": {testPassword}})
	cookie := resp.Header.Get("Set-Cookie")
	want := regexp.MustCompile(`^__Host-foretell=[A-Za-z0-9_-]{43}; Path=/; Max-Age=3600; HttpOnly; Secure; SameSite=Strict$`)
	if resp.StatusCode != http.StatusSeeOther || !want.MatchString(cookie) {
		t.Errorf("%d, the cookie is %s", resp.StatusCode, cookie)
	}
}

// TestDatasetPages uploads files with the form, and deletes them.
func TestDatasetPages(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	upload := func(name, csv string) (*http.Response, string) {
		body, kind := form(t, "name", name, "description", "", "file", csv)
		return b.send(t, http.MethodPost, "/datasets", body, kind)
	}
	if resp, page := upload("x", trainingCSV()); resp.StatusCode != 422 || !strings.Contains(page, "must have at least 3 characters") || !strings.Contains(page, `value="x"`) {
		t.Errorf("a short name: %d %s", resp.StatusCode, page)
	}
	if resp, page := upload("tiny", "a"); resp.StatusCode != 422 || !strings.Contains(page, "The file has only 1 byte") {
		t.Errorf("a short file: %d %s", resp.StatusCode, page)
	}
	resp, page := upload("<b>tiny</b>", trainingCSV()) // the rejected dataset is gone
	if resp.StatusCode != 200 || !strings.Contains(page, "&lt;b&gt;tiny&lt;/b&gt;") || strings.Contains(page, "<b>tiny") {
		t.Fatalf("%d %s", resp.StatusCode, page)
	}
	path := resp.Request.URL.Path
	key := strings.TrimPrefix(path, "/datasets/")
	user := s.as(t, testUser, testPassword)
	if state := user.poll(t, "/api/v1/datasets/"+key); state != "COMPLETED" {
		t.Fatalf("the dataset is %s", state)
	}
	b.expect(t, path, nil, 200, `<svg class="bars"`)
	part, body := b.visit(t, path+"?part=dataset", nil)
	if !strings.HasPrefix(body, `<div id="dataset">`) || part.Header.Get("ETag") == "" {
		t.Errorf("the part of the page is %s", body)
	}
	b.expect(t, "/datasets", nil, 200, path)
	_, page = upload("flawed", "id,height,kind\n"+strings.Repeat("1,2,a\n", 40))
	flawed := regexp.MustCompile(`/datasets/[0-9a-f-]{36}`).FindString(page)
	if state := user.poll(t, "/api/v1"+flawed); state != "FAILED" {
		t.Fatalf("the dataset is %s", state)
	}
	page = b.expect(t, flawed, nil, 200, `<a href="/datasets#upload">upload it again</a>`)
	if strings.Contains(page, "--fix") {
		t.Error("the page offers to correct defects that cannot be corrected")
	}
	if !strings.Contains(page, `<button>Delete this dataset</button>`) {
		t.Errorf("the page does not offer to free the name: %s", page)
	}
	b.expect(t, flawed+"/delete", url.Values{}, 200, path)
	b.expect(t, path+"/delete", url.Values{}, 200, "There are no datasets yet")
	b.expect(t, path, nil, 404, "No dataset")
}

// TestPartsOfPages sends the requests of htmx: uploads and polls. None may be answered with a
// whole page, which htmx would put into the open one.
func TestPartsOfPages(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	b.isHTMX = true
	upload := func(name string) (*http.Response, string) {
		body, kind := form(t, "name", name, "description", "", "file", trainingCSV())
		return b.send(t, http.MethodPost, "/datasets", body, kind)
	}
	if resp, page := upload("x"); resp.StatusCode != 422 || !strings.HasPrefix(page, `<div class="note bad" role="alert"><ul class="fields"><li><a href="#name">Name</a>: must have`) {
		t.Errorf("a rejected form: %d %s", resp.StatusCode, page)
	}
	resp, page := upload("flowers")
	path := resp.Header.Get("HX-Redirect")
	if resp.StatusCode != http.StatusNoContent || page != "" || !strings.HasPrefix(path, "/datasets/") {
		t.Fatalf("an upload: %d %s, to %q", resp.StatusCode, page, path)
	}
	s.as(t, testUser, testPassword).poll(t, "/api/v1"+path)
	part := b.expect(t, path+"?part=dataset", nil, 200, `<div id="dataset">`)
	if !strings.Contains(part, `id="commands"`) || !strings.Contains(part, "data-copy=\"foretell training create "+path[len("/datasets/"):][:8]+"\"") {
		t.Errorf("the foot of the page keeps the commands of the earlier state: %s", part)
	}
	if resp, page := b.visit(t, "/datasets/"+strings.Repeat("0", 8)+"-0000-4000-8000-000000000000?part=dataset", nil); resp.Header.Get("HX-Refresh") != "true" || page != "" {
		t.Errorf("a poll of a deleted dataset: %d %s", resp.StatusCode, page)
	}
	b.isHTMX = false
	b.expect(t, "/sign-out", url.Values{}, 200, "<title>Sign in")
	b.isHTMX = true
	resp, page = b.visit(t, path+"?part=dataset", nil)
	if resp.StatusCode != 286 || resp.Header.Get("HX-Reswap") != "none" || !strings.HasPrefix(page, `<p id="notice"`) || !strings.Contains(page, "session has ended") {
		t.Errorf("a poll after the session: %d %s", resp.StatusCode, page)
	}
	if resp, page := upload("more"); resp.StatusCode != 401 || !strings.HasPrefix(page, `<p class="note bad"`) || !strings.Contains(page, "Your session has ended") {
		t.Errorf("an upload after the session: %d %s", resp.StatusCode, page)
	}
}

// TestAssets loads the files to which a page links.
func TestAssets(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	b := newBrowser(t, s.url)
	page := b.expect(t, "/sign-in", nil, 200, "<title>Sign in")
	names := regexp.MustCompile(`"(/assets/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(names) < 4 {
		t.Fatalf("the page has only the assets %v", names)
	}
	for _, name := range names {
		resp, content := b.visit(t, name[1], nil)
		if resp.StatusCode != 200 || !strings.Contains(resp.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %s", name[1], resp.Status)
		}
		if strings.HasSuffix(name[1], ".js") && !utf8.ValidString(content) { // some scripts are embedded in the gzip format
			t.Errorf("%s is not a text", name[1])
		}
	}
	b.expect(t, "/assets/old/foretell.css", nil, 404, "no page at")
	for _, name := range names {
		if strings.HasSuffix(name[1], "htmx.min.js") {
			b.expect(t, name[1]+".gz", nil, 404, "no page at")
		}
	}
}

// trainingCSV returns a training file of two classes.
func trainingCSV() string {
	var csv strings.Builder
	csv.WriteString("id,height,colour,kind\n")
	for i := range 60 {
		fmt.Fprintf(&csv, "%d,%d,%s,%s\n", i, i%17, []string{"red", "green"}[i/30], []string{"a", "b"}[i%2])
	}
	return csv.String()
}
