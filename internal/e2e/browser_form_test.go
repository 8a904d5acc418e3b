//go:build unix

package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"foretell/internal/api"
	"foretell/internal/testenv/chrome"
)

// TestFormsInBrowser logs in with a wrong password, after which the password can be typed again at
// once. Then it cancels an upload on a slow connection, and sends the same form again. At last it
// cancels uploads when the service has the whole file, but the page has no response yet.
func TestFormsInBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	ctx, _ := chrome.Start(t)
	address, dir := serve(t)
	accountOn(t, address, "--data-dir", dir)
	p := &person{t: t, ctx: ctx, base: address}
	p.visit("/sign-in")
	p.write("#username", "a@example.com")
	p.write("#password", "a wrong password")
	p.press("main button")
	p.sees("main .note.bad")
	p.run("the focus is in the field for the password", poll(`document.activeElement.id === "password"`), chromedp.KeyEvent("a long password\r"))
	p.sees("#now")

	file := filepath.Join(t.TempDir(), "train.csv")
	p.writeFile(file, "id,size,kind\n"+strings.Repeat("1,2,rose\n", 400_000))
	p.visit("/datasets")
	p.sees("#file")
	p.run("file", chromedp.SetUploadFiles("#file", []string{file}, chromedp.ByQuery))
	p.sees("[data-check] .note")
	p.run("a slow connection", network.EmulateNetworkConditions(false, 0, -1, 50_000))
	p.run("no upload is running", poll(`getComputedStyle(document.querySelector("[data-cancel]")).display === "none"`))
	p.press("main form[data-hx-post] .primary")
	p.sees("[data-cancel]")
	p.press("[data-cancel]")
	p.run("the upload is cancelled", poll(`/^(The upload was cancelled\.$|It is not known)/.test(document.querySelector("#form-error").textContent) // the service may not have known the upload yet
		&& document.activeElement.matches("main form[data-hx-post] .primary:enabled") && getComputedStyle(document.querySelector("[data-cancel]")).display === "none"`))
	token, err := signIn(address, "a@example.com")
	if err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the dataset to be deleted", func() bool {
		var page api.DatasetPage
		callJSON(t, "GET", address+"/api/v1/datasets?offset=0&limit=10", token, &page)
		return page.Total == 0
	})
	p.run("a fast connection", network.EmulateNetworkConditions(false, 0, -1, -1))
	p.press("main form[data-hx-post] .primary")
	p.sees(".note.bad ul") // the service reports the repeated IDs

	file = filepath.Join(t.TempDir(), "small.csv")
	p.writeFile(file, "id,size,kind\n"+strings.Repeat("1,2,rose\n2,3,lily\n", 50))
	p.visit("/datasets")
	p.sees("#file")
	p.run("file", chromedp.SetUploadFiles("#file", []string{file}, chromedp.ByQuery))
	p.sees("[data-check] .note")
	p.run("a long delay", network.EmulateNetworkConditions(false, 3000, -1, -1))
	cancelAfterArrival := func(datasets int64) {
		p.press("main form[data-hx-post] .primary")
		waitUntil(t, "the file to arrive", func() bool {
			var page api.DatasetPage
			callJSON(t, "GET", address+"/api/v1/datasets?offset=0&limit=10", token, &page)
			return page.Total == datasets && page.Datasets.Items[0].Status != api.DatasetPending // the newest dataset is the first
		})
		p.press("[data-cancel]")
	}
	cancelAfterArrival(2)
	p.run("the page says that the dataset exists", poll(`document.querySelector("#form-error a[href^='/datasets/']") !== null`))
	p.write("#name", "another")
	p.run("no answer about uploads", network.SetBlockedURLs([]string{"*/uploads/*"}))
	cancelAfterArrival(3)
	p.run("the page says that it is not known", poll(`document.querySelector("#form-error").textContent.startsWith("It is not known whether the upload was cancelled.")`))
	p.run("a short delay", network.EmulateNetworkConditions(false, 0, -1, -1))
	p.keepRaceForm()
}

// keepRaceForm rejects the form to start a race, and then sends it after the end of the session. Both times the
// page must show the reason, and keep what was typed.
func (p *person) keepRaceForm() {
	p.t.Helper()
	p.visit("/datasets")
	p.press("#list th a")
	p.sees(`a[href$="/train"]`)
	p.press(`a[href$="/train"]`)
	p.sees("#threshold")
	// The browser shows a page that it has kept. It must be loaded again only if no form is filled in.
	const showAgain = `window.isOld = true; dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`
	p.run("an unchanged page", chromedp.Evaluate(showAgain, nil))
	waitUntil(p.t, "the page to be loaded again", func() bool {
		var isNew bool
		err := chromedp.Run(p.ctx, chromedp.Evaluate(`!window.isOld && document.readyState === "complete"`, &isNew))
		return err == nil && isNew // there is an error while the page is being replaced
	})
	p.write("#threshold", "0.9")
	p.run("a filled form is kept", chromedp.Evaluate(showAgain, nil))
	p.run("a wrong seed", chromedp.SetValue("#seed", "-1", chromedp.ByQuery))
	p.press("main form .primary")
	p.run("the field with the wrong value", poll(`document.querySelector("#form-error a[href='#seed']") !== null && document.querySelector("#seed").checkVisibility() && document.querySelector("#seed[aria-invalid]") !== null`))
	p.run("the end of the session", network.ClearBrowserCookies())
	p.press("main form .primary")
	p.run("the reason", poll(`document.querySelector("#form-error").textContent.includes("session has ended") && document.querySelector("#threshold").value === "0.9" && window.isOld`))
}
