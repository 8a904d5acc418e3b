package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/app"
)

// nopReadSeekCloser is a file in memory.
type nopReadSeekCloser struct{ io.ReadSeeker }

func (nopReadSeekCloser) Close() error { return nil }

// TestServeFile checks for which requests a download begins. When a download begins, the file is
// verified and the audit log gets an event. A file that cannot be sent must be replaced by a problem.
func TestServeFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method        string
		header, value string
		err           error
		want          int
		begun         bool
	}{
		"all":          {"GET", "", "", nil, 200, true},
		"part":         {"GET", "Range", "bytes=2-3", nil, 206, true},
		"head":         {"HEAD", "", "", nil, 200, false},
		"head_of_part": {"HEAD", "Range", "bytes=2-3", nil, 200, false},
		"other_unit":   {"GET", "Range", "items=2-3", nil, 200, true},
		"upper_case":   {"GET", "Range", "Bytes=2-3", nil, 206, true},
		"last_none":    {"GET", "Range", "bytes=-0", nil, 416, false},
		"last_or_none": {"GET", "Range", "bytes=-00, -3", nil, 206, true},
		"reversed":     {"GET", "Range", "bytes=9-0", nil, 416, false},
		"no_numbers":   {"GET", "Range", "bytes=a-b", nil, 416, false},
		"known":        {"GET", "If-None-Match", `"key"`, nil, 304, false},
		"bad_range":    {"GET", "Range", "bytes=99-", nil, 416, false},
		"other_file":   {"GET", "If-Match", `"other"`, nil, 412, false},
		"damaged":      {"GET", "", "", api.NewProblem(api.CodeDamaged, "damaged"), 500, true},
		"damaged_part": {"GET", "Range", "bytes=2-3", api.NewProblem(api.CodeDamaged, "damaged"), 500, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := false
			content := bytes.NewReader([]byte("id,colour\n"))
			file := &app.File{ReadSeekCloser: nopReadSeekCloser{content}, Size: content.Size(), Name: "a.csv", ETag: "key", BeforeSend: func(context.Context) error {
				begun = true
				return c.err
			}}
			r := httptest.NewRequest(c.method, "/", nil)
			if c.header != "" {
				r.Header.Set(c.header, c.value)
			}
			w := httptest.NewRecorder()
			newService(&app.App{}, Options{Now: time.Now, Metrics: &Metrics{}}).serveFile(w, r, file)
			if w.Code != c.want || begun != c.begun {
				t.Errorf("%d, begun %v; want %d, begun %v", w.Code, begun, c.want, c.begun)
			}
			isProblem := strings.HasPrefix(w.Body.String(), "{") && w.Header().Get("Content-Type") == problemType && w.Header().Get("ETag") == "" && w.Header().Get("Cache-Control") == "no-store"
			if isProblem != (c.want >= http.StatusBadRequest) {
				t.Errorf("%v %s", w.Header(), w.Body)
			}
			if got := w.Header().Get("Content-Range"); (got == "bytes */10") != (c.want == http.StatusRequestedRangeNotSatisfiable) {
				t.Errorf("Content-Range is %q", got)
			}
		})
	}
}
