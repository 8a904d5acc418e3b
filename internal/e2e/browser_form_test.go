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
// cancels an upload when the service has the whole file, but the page has no response yet.
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
	p.run("the upload is cancelled", poll(`document.querySelector("#upload-error").textContent === "The upload was cancelled."
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
	p.press("main form[data-hx-post] .primary")
	waitUntil(t, "the file to arrive", func() bool {
		var page api.DatasetPage
		callJSON(t, "GET", address+"/api/v1/datasets?offset=0&limit=10", token, &page)
		return page.Total == 2
	})
	p.press("[data-cancel]")
	p.run("the page says that the dataset exists", poll(`document.querySelector("#upload-error a[href^='/datasets/']") !== null`))
}
