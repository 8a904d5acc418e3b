package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/emersion/go-smtp"

	"foretell/internal/testenv/chrome"
)

// person uses the dashboard in a browser with the keyboard alone. Only the file chooser, which
// belongs to the operating system, is filled in by the test.
type person struct {
	t    *testing.T
	ctx  context.Context
	base string
}

const (
	// stepTime limits each step of a person.
	stepTime = 3 * time.Minute
	// lookInterval is the time between two looks at a page that is about to change. By default,
	// chromedp looks every 5 ms, or draws frames all the time, which takes a core.
	lookInterval = 50 * time.Millisecond
)

func (p *person) run(what string, actions ...chromedp.Action) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, stepTime)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		shown, stop := context.WithTimeout(p.ctx, 5*time.Second)
		defer stop()
		text := ""
		_ = chromedp.Run(shown, chromedp.Evaluate("document.title + '\\n' + document.body.innerText.slice(0, 2000)", &text))
		p.t.Fatalf("%s: %v\nthe page begins: %s", what, err, text)
	}
}

// visit loads a page.
func (p *person) visit(path string) { p.t.Helper(); p.run(path, chromedp.Navigate(p.base+path)) }

// focus presses Tab until the element has the focus.
func (p *person) focus(selector string) {
	p.t.Helper()
	for range 200 {
		var at bool
		p.run("Tab", chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(fmt.Sprintf("document.activeElement.matches(%q)", selector), &at))
		if at {
			return
		}
	}
	p.t.Fatalf("the keyboard does not reach %s", selector)
}

// write types a text into a field.
func (p *person) write(selector, text string) {
	p.t.Helper()
	p.focus(selector)
	p.run(selector, chromedp.KeyEvent(text))
}

// press moves to a button or link and presses Enter.
func (p *person) press(selector string) {
	p.t.Helper()
	p.focus(selector)
	p.run(selector, chromedp.KeyEvent(kb.Enter))
}

// sees waits until an element is on the page.
func (p *person) sees(selector string) {
	p.t.Helper()
	p.run("waiting for "+selector, chromedp.WaitVisible(selector, chromedp.ByQuery, chromedp.RetryInterval(lookInterval)))
}

// poll waits until an expression is true.
func poll(expression string) chromedp.Action {
	return chromedp.Poll(expression, nil, chromedp.WithPollingInterval(lookInterval), chromedp.WithPollingTimeout(stepTime))
}

// path returns the path of the URL that the browser shows.
func (p *person) path() string {
	p.t.Helper()
	path := ""
	p.run("location", chromedp.Evaluate("location.pathname", &path))
	return path
}

// source returns a page or a file as the service sends it, before scripts change it.
func (p *person) source(path string) string {
	p.t.Helper()
	text := ""
	p.run(path, chromedp.Evaluate(fmt.Sprintf("fetch(%q).then((response) => response.text())", path), &text, awaitPromise))
	return text
}

// TestDashboardInBrowser goes the whole way in a browser: request access, get an email, set a
// password, log in, upload, race, stop, read the report, predict, download. It then looks
// for accessibility barriers on every page. TestPagesOnPostgres loads the pages with another database.
func TestDashboardInBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	ctx, messages := chrome.Start(t)
	mails, smtpAddress := startMailServer(t)
	address := freeAddress(t)
	files := t.TempDir()
	dir := t.TempDir()
	serveAt(t, address, dir, "--public-url", "http://"+address, "--approve-domain", "example.org", "--smtp", "smtp://"+smtpAddress+"?from=foretell@example.com")
	p := &person{t: t, ctx: ctx, base: "http://" + address}
	p.getAccount(mails)

	dataset := p.upload(filepath.Join(files, "train.csv"))
	training, model := p.race()
	prediction := p.predict(filepath.Join(files, "blind.csv"))
	p.verify(prediction)
	audit := exec.Command("foretell", "users", "audit", "--action", "result.download", "--no-header", "--data-dir", dir)
	// The browser may have the second file in its cache, which is then not sent again.
	if events, err := audit.Output(); err != nil || strings.Count(string(events), "\n") < 1 || strings.Count(string(events), "\n") > 2 {
		t.Errorf("after two downloads and several views of a result, the audit log has %s, %v", events, err)
	}
	p.visit(dataset)
	_, other := p.race()
	admin := exec.Command("foretell", "users", "role", "ann@example.org", "administrator", "--data-dir", dir)
	if out, err := admin.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, path := range []string{
		"/", "/datasets", dataset, dataset + "/train", "/training", training, "/models", "/models/series?name=flowers", model,
		"/models/compare?a=" + filepath.Base(model) + "&b=" + filepath.Base(other),
		"/predictions", prediction, "/verify", "/account", "/admin", "/admin/accounts", "/admin/jobs", "/admin/events",
	} {
		p.checkAccess(path)
	}
	p.visit(dataset + "/train")
	p.write("#threshold", "2")
	p.press("main form .primary")
	p.sees(".note.bad .fields")
	p.checkShown("a rejected form")
	p.addAuthenticator()
	checkMarkup(t, "the report", p.source(model+"/report.html"))
	p.visit("/account")
	p.press(`form[action="/sign-out"] button`)
	p.sees("#username")
	for _, path := range []string{"/sign-in", "/request-access", "/password?code=unknown"} {
		p.checkAccess(path)
	}
	for _, message := range withoutAborted(messages()) {
		if !strings.Contains(message, "403 (Forbidden)") && !strings.Contains(message, "422 (") { // the responses to the unknown code and to the rejected form
			t.Errorf("a message: %s", message)
		}
	}
}

// withoutAborted returns messages of a page without those of htmx about aborted requests: requests that
// took too long, as on a busy machine, and requests of a page that was left. Neither is an error.
func withoutAborted(messages []string) []string {
	return slices.DeleteFunc(messages, func(message string) bool {
		event, found := strings.CutPrefix(message, `console "htmx:`)
		name, _, _ := strings.Cut(event, ",")
		return found && (name == "timeout" || name == "sendAbort" || name == "afterRequest")
	})
}

// getAccount requests an account, sets its password with the link in the email, and logs in.
func (p *person) getAccount(mails mailServer) {
	p.t.Helper()
	p.visit("/request-access")
	p.write("#name", "Ann")
	p.write("#organisation", "Example")
	p.write("#email", "ann@example.org")
	p.write("#reason", "to learn")
	p.press("main button")
	p.sees(".note.good")
	link := regexp.MustCompile(`http://[^/\s]+(/password\?code=[A-Za-z0-9_-]{43})`).FindStringSubmatch(<-mails)
	if link == nil {
		p.t.Fatal("the email has no link")
	}
	p.visit(link[1])
	p.write("#password", "a long password")
	p.write("#repeated", "a long password")
	p.press("main button")
	p.sees(".note.good")
	p.press(`main a[href="/sign-in"]`)
	p.signIn("ann@example.org")
}

// signIn opens the page to log in and fills in its form.
func (p *person) signIn(email string) {
	p.t.Helper()
	p.sees("#username")
	p.write("#username", email)
	p.write("#password", "a long password")
	p.press("main button")
	p.sees("#now")
}

// upload uploads a training file and returns the path of its dataset.
func (p *person) upload(file string) string {
	p.t.Helper()
	var csv strings.Builder
	csv.WriteString("id,height,width,colour,<b>kind</b>\n")
	for i := range 4000 {
		fmt.Fprintf(&csv, "%d,%d,%d,%s,%s\n", i, i%97, i*i%89, []string{"red", "green", "blue"}[i%3], []string{"rose", "<i>tulip</i>"}[(i%97+i*i%89+i%7*20)/100%2])
	}
	p.writeFile(file, csv.String())
	p.visit("/datasets")
	p.write("#name", "flowers")
	p.run("file", chromedp.SetUploadFiles("#file", []string{file}, chromedp.ByQuery))
	p.sees("[data-check] .note.good")
	p.press("main form[data-hx-post] button")
	p.sees(`a[href$="/train"]`) // the page shows by itself that the file is ready
	p.sees("svg.bars")
	return p.path()
}

// startRace starts a race on the dataset of the page, waits for its first score and returns its
// path.
func (p *person) startRace() string {
	p.t.Helper()
	p.press(`a[href$="/train"]`)
	p.sees("#threshold")
	p.write("#threshold", "1")
	p.press("main form button")
	p.sees(".plot-area .line.c1[d^=M]")
	return p.path()
}

// race starts a race, stops it and opens its model. It returns the paths of both.
func (p *person) race() (training, model string) {
	p.t.Helper()
	training = p.startRace()
	p.run("what is open and has the focus stays so while the race goes on",
		chromedp.Evaluate(`document.querySelector("details.numbers").open = true; document.querySelector("details.numbers summary").focus();
			document.addEventListener("htmx:afterSettle", () => { window.isNew = true; })`, nil),
		poll(`window.isNew && document.querySelector("details.numbers").open && document.activeElement.matches("details.numbers summary")`))
	p.press("#stop")
	p.sees(`a.button[href^="/models/"]`)
	p.sees(".plot-area[data-chart] ~ .uplot canvas")
	p.press(`a.button[href^="/models/"]`)
	p.sees(".verdict")
	p.checkReadout()
	return training, p.path()
}

// predict predicts a file with the model of the page, downloads the result and returns the
// path of the prediction.
func (p *person) predict(file string) string {
	p.t.Helper()
	p.writeFile(file, "id,colour,height,width\n1,red,3,4\n2,blue,50,80\n")
	p.run("file", chromedp.SetUploadFiles("#file", []string{file}, chromedp.ByQuery))
	p.sees("[data-check] .note.good")
	p.press("main form[data-hx-post] button")
	p.sees("table.preview")
	p.sees("#drift-title")
	prediction := p.path()
	result, err := os.ReadFile(p.download(`a[href$="/result"]`))
	if err != nil || !strings.HasPrefix(string(result), "id,colour,height,width,prediction,probability") || strings.Count(string(result), "\n") != 3 {
		p.t.Errorf("the result is %s, %v", result, err)
	}
	return prediction
}

// download presses a link and returns the path of the file that it downloads.
func (p *person) download(link string) string {
	p.t.Helper()
	folder := p.t.TempDir()
	done := make(chan string, 1)
	listening, stop := context.WithCancel(p.ctx)
	defer stop()
	chromedp.ListenTarget(listening, func(event any) {
		if e, ok := event.(*browser.EventDownloadProgress); ok && e.State == browser.DownloadProgressStateCompleted {
			select {
			case done <- e.GUID:
			default:
			}
		}
	})
	p.run("download", browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllowAndName).WithDownloadPath(folder).WithEventsEnabled(true))
	p.press(link)
	select {
	case name := <-done:
		return filepath.Join(folder, name)
	case <-time.After(stepTime):
		p.t.Fatalf("%s downloaded nothing", link)
	}
	return ""
}

// verify downloads the result of a prediction with its receipt and verifies both, on the page
// and on the command line. Then it changes a cell of the result, which both must detect.
func (p *person) verify(prediction string) {
	p.t.Helper()
	p.visit(prediction)
	result, receipt := p.download(`a[href$="/result"]`), p.download(`a[href$="/receipt"]`)
	verified, err := exec.Command("foretell", "predictions", "verify", result, "--receipt", receipt).CombinedOutput()
	if err != nil || !strings.Contains(string(verified), "verified: 2 rows") {
		p.t.Errorf("foretell predictions verify: %v: %s", err, verified)
	}
	text, err := os.ReadFile(receipt)
	if err != nil || !strings.Contains(string(text), `"name": "train.csv"`) || !strings.Contains(string(text), `"name": "blind.csv"`) {
		p.t.Errorf("the receipt does not name the input files: %s, %v", text, err)
	}
	send := func(result string) {
		p.visit("/verify")
		p.run("files", chromedp.SetUploadFiles("#receipt", []string{receipt}, chromedp.ByQuery), chromedp.SetUploadFiles("#file", []string{result}, chromedp.ByQuery))
		p.press("main form button")
	}
	send(result)
	p.sees(`.note.good a, .facts a[href="` + prediction + `"]`)
	if text, err = os.ReadFile(result); err != nil {
		p.t.Fatal(err)
	}
	changed := filepath.Join(p.t.TempDir(), "changed.csv")
	p.writeFile(changed, strings.Replace(string(text), "1,red,3", "1,red,4", 1))
	_, err = exec.Command("foretell", "predictions", "verify", changed, "--receipt", receipt).Output()
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		p.t.Fatalf("a changed result is verified: %v", err)
	}
	send(changed)
	p.sees(`[role=alert]`)
	said := ""
	p.run("the verdict", chromedp.Text("[role=alert]", &said, chromedp.ByQuery))
	_, cause, _ := strings.Cut(strings.TrimSuffix(said, "."), "receipt: ")
	if cause == "" || !strings.Contains(string(failed.Stderr), cause) {
		p.t.Errorf("the page says %q, the command %q", said, failed.Stderr)
	}
}

func (p *person) writeFile(path, text string) {
	p.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// startMailServer starts an SMTP server and returns the emails that it receives.
func startMailServer(t *testing.T) (mails mailServer, address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mails = make(mailServer, 9)
	server := smtp.NewServer(mails)
	go func() { _ = server.Serve(listener) }() // until it is closed
	t.Cleanup(func() { _ = server.Close() })
	return mails, listener.Addr().String()
}

// freeAddress returns a local address on which no program listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// awaitPromise makes the evaluation of a script wait for the promise that the script returns.
func awaitPromise(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
