// Package chrome starts browsers for tests. It is apart from testenv, so that other test programs
// are not linked with the large library that controls the browser.
package chrome

import (
	"context"
	_ "embed" // for axe-core
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"foretell/internal/testenv"
)

// Axe is axe-core 4.14.1, a program that finds accessibility faults of web pages. Its licence, the
// Mozilla Public License 2.0, is in the folder axe.
//
//go:embed axe/axe.min.js
var Axe string

// chromiums are the paths and names of Chromium programs, in the order in which Start tries them.
// The paths come first, because the program in /usr/bin is a script that leaves processes behind.
var chromiums = []string{"/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser", "chromium", "google-chrome"}

// Start starts a browser without a window, and returns the context of a page in it. The function
// messages returns what the page has written to the console, including violations of its
// Content-Security-Policy. If Chromium is missing, the test is skipped; see [testenv.SkipWithout].
func Start(t *testing.T) (ctx context.Context, messages func() []string) {
	t.Helper()
	path, err := "", errors.New("no Chromium found")
	for _, name := range chromiums {
		if path, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		testenv.SkipWithout(t, "browser", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(2*time.Minute))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	var mu sync.Mutex
	var texts []string
	chromedp.ListenTarget(ctx, func(event any) {
		text := ""
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			text = "console"
			for _, value := range e.Args {
				text += " " + string(value.Value)
			}
		case *log.EventEntryAdded:
			text = "log " + e.Entry.Text + " " + e.Entry.URL
		case *runtime.EventExceptionThrown:
			text = "exception " + e.ExceptionDetails.Error()
		}
		if text != "" {
			mu.Lock()
			defer mu.Unlock()
			texts = append(texts, text)
		}
	})
	if err := chromedp.Run(ctx, runtime.Enable(), log.Enable()); err != nil {
		testenv.SkipWithout(t, "browser", err)
	}
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), texts...)
	}
}
