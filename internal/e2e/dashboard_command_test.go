//go:build unix

package e2e_test

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"foretell/internal/api"
)

// copiedCommand matches a command that a page of the dashboard offers to copy.
var copiedCommand = regexp.MustCompile(`data-copy="(foretell [^"]+)"`)

// TestCommandsOfPages runs the commands that the pages of an administrator show. Each must work as
// it is shown.
func TestCommandsOfPages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs many commands, none of them concurrent")
	}
	dir := t.TempDir()
	_, base := serveAt(t, "127.0.0.1:0", dir)
	env := append(os.Environ(), accountOn(t, base, "--data-dir", dir)...)
	foretell := foretellWith(t, env)
	foretell("users", "role", "a@example.com", api.RoleAdministrator, "--data-dir", dir)
	var account api.Account
	if err := json.Unmarshal([]byte(foretell("api", "GET", "/api/v1/account")), &account); err != nil {
		t.Fatal(err)
	}
	visitor := signInToPages(t, base)
	seen := map[string]bool{}
	for _, page := range []string{
		"/", "/datasets", "/datasets?state=COMPLETED", "/training", "/predictions",
		"/admin", "/admin/accounts", "/admin/accounts/" + account.AccountKey, "/admin/events", "/admin/events?actor=a@example.com&action=login", "/admin/jobs",
	} {
		text := readPage(t, visitor, base+page)
		commands := copiedCommand.FindAllStringSubmatch(text, -1)
		if len(commands) == 0 {
			t.Errorf("%s shows no command: %s", page, text)
		}
		for _, found := range commands {
			command := html.UnescapeString(found[1])
			if seen[command] || strings.Contains(command, " NAME ") {
				continue
			}
			seen[command] = true
			run := exec.Command("sh", "-c", strings.ReplaceAll(command, "=EMAIL", "=new@example.com"))
			run.Env = env
			if out, err := run.CombinedOutput(); err != nil {
				t.Errorf("%s shows `%s`: %v: %s", page, command, err, out)
			}
		}
	}
	if !seen["foretell api GET /api/v1/admin/requests -f status=PENDING --paginate"] {
		t.Errorf("the commands are %v", seen)
	}
}

// signInToPages returns a client with the session cookie of the account of accountOn.
func signInToPages(t *testing.T, base string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	visitor := &http.Client{Jar: jar}
	form := url.Values{"username": {"a@example.com"}, "password": {"a long password"}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/sign-in", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := visitor.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Request.URL.Path != "/" {
		t.Fatalf("signing in: %s at %s", response.Status, response.Request.URL)
	}
	return visitor
}

// readPage returns the HTML of a page.
func readPage(t *testing.T, visitor *http.Client, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html") // without it, the path / serves JSON
	response, err := visitor.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, response.Status, err)
	}
	return string(body)
}
