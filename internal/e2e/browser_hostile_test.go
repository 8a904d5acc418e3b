//go:build unix

package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"foretell/internal/testenv/chrome"
)

// The names and cells that a hostile user may choose: markup, scripts, right-to-left text that
// reverses the text after it, and texts of 10,000 characters with and without spaces.
const (
	markup  = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`
	reverse = "\u202eمرحبا \u2067abc"
)

// TestHostileContentInBrowser shows hostile names and cells on every page that can show them.
// They must be shown as text and must not break the layout, and the content security policy
// must report nothing.
func TestHostileContentInBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	ctx, messages := chrome.Start(t)
	dir := t.TempDir()
	_, base := serveAt(t, "127.0.0.1:0", dir)
	foretell := foretellWith(t, append(os.Environ(), accountOn(t, base, "--data-dir", dir)...))
	p := &person{t: t, ctx: ctx, base: base}
	requestHostileAccount(t, base)
	signInHostile(t, base)
	p.visit("/sign-in")
	p.signIn("a@example.com")

	files := t.TempDir()
	p.writeFile(filepath.Join(files, "train.csv"), hostileTable(200, true))
	p.writeFile(filepath.Join(files, "blind.csv"), hostileTable(20, false))
	foretell("datasets", "create", `<b>"&' مرحبا`, filepath.Join(files, "train.csv"), "--description", markup+" مرحبا", "--id", "id", "--label", "label"+markup)
	foretell("training", "create", "@last", "--algorithm", "MSIX01", "--time-limit", "10m")
	other := foretell("models", "list", "--quiet", "--limit", "1")
	foretell("training", "create", "@last", "--algorithm", "MSIX01", "--time-limit", "10m", "--seed", "2")
	key := func(noun string) string { return foretell(noun, "list", "--quiet", "--limit", "1") }
	foretell("users", "role", "a@example.com", "administrator", "--data-dir", dir)
	dataset, model := key("datasets"), key("models")
	p.visit("/models/" + model)
	p.run("reasons and file", chromedp.SetValue("#reasons", "3", chromedp.ByQuery), chromedp.SetUploadFiles("#file", []string{filepath.Join(files, "blind.csv")}, chromedp.ByQuery))
	p.press("main form[data-hx-post] button")
	p.sees("table.preview")
	prediction := p.path()
	for _, path := range []string{
		"/", "/datasets", "/datasets/" + dataset, "/datasets/" + dataset + "/train", "/training", "/training/" + key("training"), "/models",
		"/models/" + model, "/models/compare?a=" + model + "&b=" + other, "/predictions", prediction,
		"/account", "/admin", "/admin/accounts", "/admin/events", "/admin/jobs",
	} {
		p.checkHostile(path)
	}
	for _, message := range withoutAborted(messages()) {
		t.Errorf("a message: %s", message)
	}
}

// hostileTable returns a table with hostile names, cells and labels. The last column has the
// labels; a table that is not labelled lacks it.
func hostileTable(rows int, labelled bool) string {
	long := strings.Repeat("W", 500) // the longest label
	words := strings.Repeat("two words ", 200)
	cells := []string{markup, reverse, long, words, "=1+1", "plain"}
	labels := []string{markup, reverse, long}
	quote := func(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
	var csv strings.Builder
	header := []string{"id", "size", quote("text" + markup), quote(reverse), long}
	if labelled {
		header = append(header, quote("label"+markup))
	}
	csv.WriteString(strings.Join(header, ",") + "\n")
	for i := range rows {
		row := []string{fmt.Sprint(i), fmt.Sprint(i % 17), quote(cells[i%6]), quote(cells[i%5]), quote(cells[i%4])}
		if labelled {
			row = append(row, quote(labels[i%3]))
		}
		csv.WriteString(strings.Join(row, ",") + "\n")
	}
	return csv.String()
}

// requestHostileAccount requests an account with hostile texts.
func requestHostileAccount(t *testing.T, base string) {
	t.Helper()
	body := fmt.Sprintf(`{"name":%q,"organisation":%q,"email":"eve@example.com","reason":%q}`, "<b>Eve</b>", strings.Repeat("W", 100), markup+strings.Repeat("W", 800))
	resp, err := http.Post(base+"/api/account/requests", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("the request for an account: %s", resp.Status)
	}
}

// signInHostile logs in with a hostile User-Agent, and fails to log in with a hostile email.
func signInHostile(t *testing.T, base string) {
	t.Helper()
	for email, want := range map[string]int{"a@example.com": http.StatusOK, markup: http.StatusUnauthorized} {
		body := fmt.Sprintf(`{"username":%q,"password":"a long password"}`, email)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/login", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("User-Agent", markup+strings.Repeat("W", 200))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("signing in as %s: %s", email, resp.Status)
		}
	}
}

// checkHostile fails the test if the page has an element that the service has not written, or is
// wider than a telephone or a screen.
func (p *person) checkHostile(path string) {
	p.t.Helper()
	for _, width := range []int64{390, 1280} {
		var foreign, wide []string
		p.run(path, emulation.SetDeviceMetricsOverride(width, 900, 1, false), chromedp.Navigate(p.base+path),
			chromedp.Evaluate(`[...document.querySelectorAll("main img, main script, main b, main i, main iframe, [onerror]")].map((e) => e.outerHTML)
				.concat([...document.scripts].filter((s) => s.parentElement !== document.head || !s.src.startsWith(location.origin + "/assets/")).map((s) => "a script " + s.src))
				.concat(document.title.includes("hacked") && !document.title.includes("<") ? ["a script ran"] : [])
				.concat(document.querySelector("main h1") ? [] : ["no heading"])`, &foreign),
			chromedp.Evaluate(`document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
				.filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest(".scroll, pre")).map((e) => e.tagName + "." + e.className).slice(0, 9)`, &wide))
		for _, element := range foreign {
			p.t.Errorf("%s has %s", path, element)
		}
		var cut []string
		p.run(path, chromedp.Evaluate(`[...document.querySelectorAll(".scroll:has(> .dependence)")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.getAttribute("aria-label").slice(0, 40))`, &cut))
		if len(cut) > 0 {
			p.t.Errorf("%s: at %d pixels, the bars of these tables are cut: %s", path, width, strings.Join(cut, ", "))
		}
		if len(wide) > 0 {
			p.t.Errorf("%s is wider than %d pixels: %s", path, width, strings.Join(wide, ", "))
		}
	}
}
