package e2e_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestOpen opens the dashboard of the embedded service in one browser, and ends it with
// Ctrl-C.
func TestOpen(t *testing.T) {
	t.Parallel()
	open := exec.Command("foretell", "open", "--no-browser", "--data-dir", t.TempDir())
	open.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "FORETELL_SERVER=")
	stdout, err := open.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := open.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Process.Kill() }() // unless it has ended
	link, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	link = strings.TrimSpace(link)
	address, _, _ := strings.Cut(link, "/open?")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	get := func(client *http.Client, url, host string, status int, text string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Accept", "text/html")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		page, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != status || !strings.Contains(string(page), text) || strings.Contains(string(page), "foretell sessions") {
			t.Fatalf("%s: %s, %v: %s", url, resp.Status, err, page)
		}
	}
	browser := &http.Client{Jar: jar}
	get(browser, address+"/open?code=wrong", "", 403, "foretell open")
	get(browser, link, "", 200, "on this machine")
	get(browser, address+"/datasets", "", 200, "Upload a dataset")
	get(browser, address+"/account", "", 200, "Usage")
	get(http.DefaultClient, link, "", 403, "each link works only once")
	get(http.DefaultClient, address+"/datasets", "", 403, "foretell open")
	get(browser, address+"/datasets", "evil.example", 421, "answers only requests to")
	if err := open.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := open.Wait(); err != nil {
		t.Error(err)
	}
}
