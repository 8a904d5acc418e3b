package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"foretell/internal/account"
	"foretell/internal/blob"
	"foretell/internal/dashboard"
)

// requestAccessPath is the path of the page with the form to request an account.
const requestAccessPath = "/request-access"

// formTimeout is how long a browser may take to send a form without a file.
const formTimeout = 30 * time.Second

// mountPages registers the pages on the router. handler is the handler of the whole service; the
// pages call the API through it.
func (s *service) mountPages(rt *router, handler http.Handler) {
	s.pages = dashboard.New(dashboard.Options{
		API: handler, BaseURL: s.baseURL, Host: s.requestHost, Now: s.opts.Now, Log: s.log, Version: s.opts.Version, Local: s.opts.Local,
		SendsMail:      s.app.SendsMail,
		DirectUploads:  s.app.HasDirectUploads(),
		ReadResultHead: s.app.ReadResultHead, OpenResult: s.app.OpenResult, TempDir: s.app.TempDir(),
		LimitUploadTime: s.limitUploadTime,
		IsDiskFull:      func() bool { return s.app.TempDir() != "" && blob.IsDiskFull(s.app.TempDir()) },
		OnSignedIn:      func(ctx context.Context) { requestFromContext(ctx).authenticated = true },
		Link: func(ctx context.Context, code string) (*account.OneTimeLink, error) {
			return s.app.GetOneTimeLink(ctx, code)
		},
	})
	rt.HandleFunc("GET /", s.handleRoot)
	s.pages.Mount(func(pattern string, page func(http.ResponseWriter, *http.Request)) {
		rt.HandleFunc(pattern, s.limitFormTime(page))
	})
}

// limitFormTime returns a handler that limits the time to read a form and calls page.
func (s *service) limitFormTime(page http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body := requestFromContext(r.Context()).body
		switch {
		case r.Method != http.MethodPost:
		case dashboard.IsMultipart(r): // the form may contain a file
			defer body.setIdleTimeout(w, uploadIdleTimeout, s.opts.Now)()
		default:
			defer body.setTotalTimeout(w, formTimeout, s.opts.Now)()
		}
		page(w, r)
	}
}

// limitUploadTime limits the time to read the rest of a form with a file. The limit is the total
// time that drainLimits returns for an authenticated client.
func (s *service) limitUploadTime(w http.ResponseWriter, r *http.Request) {
	total, _ := drainLimits(r, true)
	requestFromContext(r.Context()).body.setTotalTimeout(w, total, s.opts.Now) // limitFormTime also removes this limit
}

// wantsHTML reports whether a browser requests a page: the request accepts HTML, and its path is
// not one of the API.
func wantsHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html") && !strings.HasPrefix(r.URL.Path, "/api/")
}
