package e2e_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"foretell/internal/auth"
	"foretell/internal/testenv/chrome"
)

// The rules of axe-core that are checked, as options of axe.run. The dark theme changes only
// colours, so only colourRules are checked in it. Rules of layout are also checked at the width of
// a telephone. allRules has the rules of WCAG, and best practices for landmarks, such as distinct
// names.
const (
	allRules = `runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], rules: {
		"landmark-unique": {enabled: true}, "landmark-one-main": {enabled: true}, "landmark-no-duplicate-banner": {enabled: true},
		"landmark-no-duplicate-contentinfo": {enabled: true}, "landmark-no-duplicate-main": {enabled: true}, "landmark-main-is-top-level": {enabled: true}}`
	colourRules = `runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]}`
	layoutRules = `runOnly: {type: "rule", values: ["scrollable-region-focusable", "target-size"]}`
)

// settledWidth is an expression for the width of the page. It waits up to a minute until the
// page is as narrow as its window, because charts follow the window a moment later.
const settledWidth = `new Promise((resolve) => {
	const end = Date.now() + 60000;
	const look = () => {
		const width = document.documentElement.scrollWidth;
		if (width <= innerWidth || Date.now() > end) resolve(width);
		else setTimeout(look, 20);
	};
	look();
})`

// checkAccess fails the test if axe-core finds a barrier on a page in one of the themes, if
// the page is wider than a telephone, or if its markup is wrong.
func (p *person) checkAccess(path string) {
	p.t.Helper()
	p.visit(path)
	p.checkShown(path)
	checkMarkup(p.t, path, p.source(path))
}

// axe fails the test if axe-core finds a violation of the rules on the page that the browser
// shows. The parameter rules is options of axe.run.
func (p *person) axe(name, rules string) {
	p.t.Helper()
	var report []byte
	p.run(name, chromedp.Evaluate("axe.run({resultTypes: ['violations'], "+rules+`}).then((r) =>
		r.passes.length + r.inapplicable.length + r.violations.length < 2 ? ["axe-core checked nothing"] : r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target + " " + n.failureSummary).join("; ")))`,
		&report, chromedp.EvalAsValue, awaitPromise))
	var violations []string
	if err := json.Unmarshal(report, &violations); err != nil {
		p.t.Fatalf("%s: %v: %s", name, err, report)
	}
	for _, v := range violations {
		p.t.Errorf("%s: %s", name, v)
	}
}

// checkShown does the checks of checkAccess for the page that the browser shows, except for
// the check of the markup.
func (p *person) checkShown(name string) {
	p.t.Helper()
	theme := func(value string) chromedp.Action {
		return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}})
	}
	p.run(name, theme("light"), chromedp.Evaluate(chrome.Axe+";0", nil))
	p.axe(name, allRules)
	p.run(name, theme("dark"))
	p.axe(name+" in the dark theme", colourRules)
	var width int
	p.run(name, theme("light"), emulation.SetDeviceMetricsOverride(390, 844, 1, false), chromedp.Evaluate(settledWidth, &width, awaitPromise))
	p.axe(name+" on a telephone", layoutRules)
	p.run(name, emulation.ClearDeviceMetricsOverride())
	if width > 390 {
		p.t.Errorf("%s is %d pixels wide on a telephone", name, width)
	}
}

// checkReadout points at the right end of the chart of a race, on the page of a model. The
// values next to the pointer must then be the last values of the curves, as in the legend. It
// then points elsewhere and resizes the window: the chart must be as wide as the picture that
// the service has drawn.
func (p *person) checkReadout() {
	p.t.Helper()
	p.sees("#race-title ~ .plots .uplot canvas")
	var place []float64
	p.run("the chart of the race", chromedp.Evaluate(`(() => {
		const over = document.querySelector("#race-title ~ .plots .u-over");
		over.scrollIntoView({ block: "center" });
		const box = over.getBoundingClientRect();
		return [box.right - 2, box.top + box.height / 3];
	})()`, &place))
	var shown, want string
	p.run("the readout", chromedp.MouseEvent(input.MouseMoved, place[0], place[1]),
		poll(`!document.querySelector("#race-title ~ .plots .readout").hidden`),
		chromedp.Evaluate(`[...document.querySelectorAll("#race-title ~ .plots .readout p:not(:first-child) > :last-child")].map((e) => e.textContent).join()`, &shown),
		chromedp.Evaluate(`[...document.querySelector("#race-title ~ .plots .legend").querySelectorAll(".quiet")].map((e) => e.textContent).join()`, &want))
	if shown != want || want == "" {
		p.t.Errorf("the values next to the pointer are %s instead of %s", shown, want)
	}
	const isAsWide = `[...document.querySelectorAll(".plot-area[data-chart]")].every((picture) =>
		Math.abs(picture.getBoundingClientRect().width - picture.parentElement.querySelector(".u-over").getBoundingClientRect().width) < 1)`
	p.run("the width of the charts", chromedp.MouseEvent(input.MouseMoved, 5, 5),
		poll(`document.querySelector("#race-title ~ .plots .readout").hidden`),
		poll(isAsWide), emulation.SetDeviceMetricsOverride(390, 844, 1, false),
		poll(isAsWide), emulation.ClearDeviceMetricsOverride(), poll(isAsWide))
}

// addAuthenticator sets up an authenticator app, and checks the page with the QR code and the
// account page afterwards for barriers. The person must be logged in.
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
