//go:build unix

package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"foretell/internal/api"
	"foretell/internal/testenv"
	"foretell/internal/testenv/chrome"
)

// TestLiveRaceInBrowser watches a race while the connection transfers nothing (as after a
// sleep of the computer), while there is no connection, and while the service is
// restarted. Each time the page must continue by itself. It must show the end of the race
// at once.
func TestLiveRaceInBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	ctx, _ := chrome.Start(t)
	dir := t.TempDir()
	address := freeAddress(t)
	oneCore := []string{"GOMAXPROCS=1"} // the race does not end by itself, so it must leave cores to other tests
	service, base := serveWith(t, oneCore, address, dir)
	accountOn(t, base, "--data-dir", dir)
	relay, front := testenv.StartRelay(t, base)
	p := &person{t: t, ctx: ctx, base: front}
	p.visit("/sign-in")
	p.signIn("a@example.com")
	p.uploadNoise(filepath.Join(t.TempDir(), "train.csv"))
	race := p.startRace()
	p.run("the page is not loaded again", chromedp.Evaluate(`window.isFirst = true`, nil))

	p.advances("before anything happened")
	relay.SetMode(testenv.Hanging)
	p.sees("#notice:not([hidden])")
	relay.SetMode(testenv.Forwarding)
	p.advances("after the silence")

	p.run("offline", network.EmulateNetworkConditions(true, 0, -1, -1))
	p.sees("#notice:not([hidden])")
	p.run("online", network.EmulateNetworkConditions(false, 0, -1, -1))
	p.advances("after the network was gone")

	if err := service.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := service.Wait(); err != nil {
		t.Fatal(err)
	}
	p.sees("#notice:not([hidden])")
	serveWith(t, oneCore, address, dir)
	p.advances("after the restart")
	p.run("the notice is gone", poll(`document.querySelector("#notice").hidden && window.isFirst`))
	p.run("the command that cancels the race", poll(`document.querySelector("#commands").textContent.includes("foretell training cancel ")`))
	p.seesEnd(race)
	p.run("the foot of the page shows the end, too", poll(`!document.querySelector("#commands").textContent.includes(" cancel ") && window.isFirst`))
	p.sees(`.danger summary`)
}

// uploadNoise uploads a table from which little can be learned, so that a race takes minutes.
func (p *person) uploadNoise(file string) {
	p.t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var csv strings.Builder
	csv.WriteString("id,a,b,c,d,e,f,kind\n")
	for i := range 20_000 {
		x := [6]float64{}
		sum := 0.0
		for j := range x {
			x[j] = random.NormFloat64()
			sum += x[j] * x[(j+1)%6]
		}
		fmt.Fprintf(&csv, "%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%t\n", i, x[0], x[1], x[2], x[3], x[4], x[5], sum+3*random.NormFloat64() > 0)
	}
	p.writeFile(file, csv.String())
	p.visit("/datasets")
	p.write("#name", "noise")
	p.run("file", chromedp.SetUploadFiles("#file", []string{file}, chromedp.ByQuery))
	p.sees("[data-check] .note.good")
	p.press("main form[data-hx-post] button")
	p.sees(`a[href$="/train"]`)
}

// advances waits until the page shows other scores than it shows now.
func (p *person) advances(when string) {
	p.t.Helper()
	const scores = `document.querySelector("#race table:last-of-type tbody").textContent`
	shown := ""
	p.run(when, chromedp.Evaluate(scores, &shown))
	quoted, err := json.Marshal(shown)
	if err != nil {
		p.t.Fatal(err)
	}
	p.run("waiting for new scores "+when, chromedp.Poll(scores+" !== "+string(quoted), nil, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(stepTime)))
}

// seesEnd stops the race by another client. The page must show the end soon after the service
// has ended the race.
func (p *person) seesEnd(race string) {
	p.t.Helper()
	var shown float64
	p.run("watching", chromedp.Evaluate(`window.ended = new Promise((resolve) => new MutationObserver(() => {
		if (document.querySelector("#race > .actions a")) resolve(Date.now());
	}).observe(document.querySelector("main"), { childList: true, subtree: true })); 0`, nil))
	token, err := signIn(p.base, "a@example.com")
	if err != nil {
		p.t.Fatal(err)
	}
	waitUntil(p.t, "a score after the restart", func() bool { // without a score, the race would end without a model
		var progress api.TrainingProgress
		callJSON(p.t, http.MethodGet, p.base+"/api/v1"+race+"/progress", token, &progress)
		return slices.ContainsFunc(progress.Jobs, func(run api.AlgorithmRun) bool { return run.Steps > 0 })
	})
	var job api.Training
	callJSON(p.t, http.MethodPatch, p.base+"/api/v1"+race+"/cancel", token, &job)
	var ended time.Time
	waitUntil(p.t, "the end of the race", func() bool {
		callJSON(p.t, http.MethodGet, p.base+"/api/v1"+race, token, &job)
		ended = time.Now()
		if job.FinishedOn != "" && job.ModelKey == "" {
			p.t.Fatalf("the race ended without a model: %+v", job)
		}
		return job.ModelKey != ""
	})
	p.run("the end", chromedp.Evaluate(`window.ended ?? Date.now()`, &shown, awaitPromise))
	lag := time.UnixMilli(int64(shown)).Sub(ended)
	p.t.Logf("the page showed the end of the race %v after the service", lag)
	limit := time.Minute
	if os.Getenv(checkPaintOption) != "" { // on an idle machine
		limit = 500 * time.Millisecond
	}
	if lag > limit {
		p.t.Errorf("the page showed the end of the race %v after the service", lag)
	}
}

// callJSON sends a request without a body to the API and decodes the JSON of the response into
// out.
func callJSON(t *testing.T, method, address, token string, out any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, resp.Status, err)
	}
}
