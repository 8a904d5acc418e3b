package cmd_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"foretell/internal/auth"
	"foretell/internal/testenv"
)

// themes are the values of prefers-color-scheme.
var themes = []string{"light", "dark"}

// checkAccess fails the test if axe-core finds a barrier on a page in one of the themes, if
// the page is wider than a telephone, or if its markup is wrong.
func (p *person) checkAccess(path string) {
	p.t.Helper()
	p.visit(path)
	p.checkShown(path)
	checkMarkup(p.t, path, p.source(path))
}

// checkShown is checkAccess for the page that is shown, without its markup.
func (p *person) checkShown(name string) {
	p.t.Helper()
	for _, theme := range themes {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}
		var report []byte
		var width int
		p.run(name, emulation.SetEmulatedMedia().WithFeatures(features),
			chromedp.Evaluate(testenv.Axe+";0", nil),
			chromedp.Evaluate(`axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).then((r) =>
				r.passes.length < 5 ? ["axe-core checked nothing"] : r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target + " " + n.failureSummary).join("; ")))`,
				&report, chromedp.EvalAsValue, awaitPromise),
			emulation.SetDeviceMetricsOverride(390, 844, 1, false),
			chromedp.Evaluate("document.documentElement.scrollWidth", &width),
			emulation.ClearDeviceMetricsOverride())
		var violations []string
		if err := json.Unmarshal(report, &violations); err != nil {
			p.t.Fatalf("%s: %v: %s", name, err, report)
		}
		for _, v := range violations {
			p.t.Errorf("%s, %s: %s", name, theme, v)
		}
		if width > 390 {
			p.t.Errorf("%s is %d pixels wide on a telephone", name, width)
		}
	}
}

// addAuthenticator sets up an authenticator app, and looks for barriers on the page with the
// QR code and on the page with the app. The person must be signed in.
func (p *person) addAuthenticator() {
	p.t.Helper()
	p.visit("/account")
	p.write("#add-current", "a long password")
	p.press(`form[action="/account/second-factor"] button`)
	p.sees(`svg[aria-label^="QR code"]`)
	p.checkShown("the QR code")
	var page, secret string
	p.run("secret", chromedp.OuterHTML("html", &page, chromedp.ByQuery),
		chromedp.Text("#second-factor-title ~ p code", &secret, chromedp.ByQuery))
	checkMarkup(p.t, "the QR code", page)
	code, err := auth.TOTP(strings.ReplaceAll(secret, " ", "")).Code(time.Now().Unix() / 30)
	if err != nil {
		p.t.Fatal(fmt.Errorf("secret %q: %w", secret, err))
	}
	p.write("#code", code)
	p.press(`form[action="/account/second-factor/confirm"] button`)
	p.sees("#remove-code")
	p.checkAccess("/account")
}
