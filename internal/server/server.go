// Package server serves the endpoints of package api over HTTP with the
// operations of package app: routing, validation, problem details for every
// error, logs, metrics and the OpenAPI document.
//
// A request passes these layers, from the outside in:
//
//	observe        request ID, access log, metrics, panics, drains unread bodies
//	checkHost      400 if the host is invalid or not allowed
//	router         404, 405, OPTIONS
//	authenticate   bearer token → caller, syntax of parameters, content type
//	huma           ranges of parameters, JSON
//	mount          calls the method of the app; status and Location of the response
//
// Files are streamed: an upload goes from the socket to the app's store. It is held neither in
// memory nor in a temporary file.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/auth"
	"foretell/internal/dashboard"
)

// Options configure the HTTP service. Only Now is required.
type Options struct {
	// Log receives one line for each request, and the causes of errors. Nil discards
	// them.
	Log *slog.Logger
	// Now is the clock, which also limits the number of requests and the time to read their bodies. It is
	// required.
	Now func() time.Time
	// PublicURL is the prefix of absolute URLs, such as
	// https://foretell.example.com. Defaults to the scheme and host of each
	// request.
	PublicURL string
	// AllowedHosts are the host names, without ports, to which requests may be sent. Requests to
	// other hosts get the status 400. The host of PublicURL is always allowed. If AllowedHosts is
	// empty, all valid hosts are allowed. See [LoopbackHosts].
	AllowedHosts []string
	// TrustedProxies are the networks of proxies whose headers X-Forwarded-For, X-Forwarded-Proto
	// and X-Forwarded-Host the service uses. A proxy must set all three headers. Otherwise a client
	// could send one of them through the proxy.
	TrustedProxies []netip.Prefix
	// ShowCauses makes the responses to internal errors contain the cause. It is set for a service
	// in the process of a command, whose user has no log of the service.
	ShowCauses bool
	// Metrics holds the metrics of the service. If it is nil, the service creates metrics and serves
	// them at /metrics.
	Metrics *Metrics
	// PublicMetrics makes the service serve the metrics at /metrics even if Metrics is set.
	PublicMetrics bool
	// RequestsPerSecond limits the requests of each account, on average. After a pause, an account
	// can send requestBurstSeconds times this number at once. Each process counts only its own
	// requests. 0 means no limit.
	RequestsPerSecond int
	// Draining reports whether the service is about to stop. Then /readyz responds with
	// 503. A nil Draining means false.
	Draining func() bool
	// Tracer creates the spans of requests. Nil creates none.
	Tracer trace.Tracer
	// Version is the version of the service, for the OpenAPI document.
	Version string
	// Local lets the browser in without a password. It is set only for a service in the process of
	// a command. If it is nil, visitors log in.
	Local *dashboard.LocalAccess
}

// service is the state that the handlers share.
type service struct {
	app  *app.App
	opts Options
	log  *slog.Logger
	// operations are the mounted operations, in the order of the OpenAPI document.
	operations []operation
	metrics    *Metrics
	proxies    proxies
	pages      *dashboard.Pages
	// requests limits the requests of each account. It is nil if there is no limit.
	requests *auth.Limiter
	// notReady is why the last request for /readyz found that the service is not ready, or "".
	notReady atomic.Pointer[string]
	// descriptions maps the key of each account to a chan struct{}; see waitForDescription.
	descriptions sync.Map
}

// requestBurstSeconds times [Options.RequestsPerSecond] is the number of requests that an account
// can send at once.
const requestBurstSeconds = 6

// New returns the handler of the whole service: the API, the pages, /openapi.json,
// /healthz, /readyz and /metrics.
func New(a *app.App, opts Options) http.Handler {
	s := newService(a, opts)
	rt := &router{writeError: s.writeRouteError}
	s.mountAll(rt)
	document := sync.OnceValue(s.marshalDocument)
	rt.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.oai.openapi+json; version=3.1")
		_, _ = w.Write(document())
	})
	rt.HandleFunc("GET /healthz", s.handleHealth)
	rt.HandleFunc("GET /readyz", s.handleReady)
	if opts.Metrics == nil || opts.PublicMetrics {
		rt.HandleFunc("GET /metrics", s.metrics.ServeHTTP)
	}
	handler := s.observe(s.checkHost(rt))
	s.mountPages(rt, handler)
	return handler
}

func newService(a *app.App, opts Options) *service {
	s := &service{app: a, opts: opts, log: opts.Log, proxies: opts.TrustedProxies}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if opts.RequestsPerSecond > 0 {
		s.requests = auth.NewLimiter(requestBurstSeconds*opts.RequestsPerSecond, time.Second/time.Duration(opts.RequestsPerSecond), opts.Now)
	}
	if s.metrics = opts.Metrics; s.metrics == nil {
		s.metrics = NewMetrics(a, s.log, opts.Now)
		s.metrics.AddBuildInfo(opts.Version)
	}
	return s
}

// marshalDocument returns the OpenAPI document as JSON, which takes 20 ms.
func (s *service) marshalDocument() []byte {
	document, err := s.openAPIDocument().MarshalJSON()
	if err != nil {
		s.log.Error("cannot marshal the OpenAPI document", "error", err)
	}
	return document
}

// mountAll mounts all operations on the router.
func (s *service) mountAll(rt *router) {
	s.mountEndpoints()
	s.mountStreams()
	for _, op := range s.operations {
		handle := s.serveOperation(op)
		for _, path := range append([]string{op.Path}, op.Aliases...) {
			rt.HandleFunc(op.Method+" "+path, handle)
		}
	}
}

// writeRouteError responds to a request with an unknown path (status 404), or with a method that
// its path does not allow (status 405). A browser gets a page, and other clients a problem.
func (s *service) writeRouteError(w http.ResponseWriter, r *http.Request, status int) {
	if status == http.StatusMethodNotAllowed {
		if wantsHTML(r) {
			s.limitFormTime(s.pages.MethodNotAllowed)(w, r)
			return
		}
		writeProblem(w, api.NewProblem(api.CodeMethodNotAllowed, "method %s is not allowed at this path; the allowed methods are %s", r.Method, w.Header().Get("Allow")))
		return
	}
	if wantsHTML(r) {
		s.limitFormTime(s.pages.NotFound)(w, r)
		return
	}
	problem := api.NewProblem(api.CodeNoRoute, "no operation at this path; see /openapi.json")
	problem.Instance = r.URL.EscapedPath()
	writeProblem(w, problem)
}

// handleRoot responds with the front page to a browser, and with the service's version and
// main URLs to other clients.
func (s *service) handleRoot(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	if wantsHTML(r) {
		s.pages.Home(w, r)
		return
	}
	base := s.baseURL(r)
	writeJSON(w, map[string]string{
		"service": "foretell", "version": s.opts.Version,
		"openapi": base + "/openapi.json", "login": base + api.LogIn.Path, "requestAccess": base + requestAccessPath, "health": base + "/healthz",
		"dashboard": base + "/",
	})
}

// handleHealth responds with 200, which shows that the process is running.
func (s *service) handleHealth(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]string{"status": "ok"})
}

// handleReady responds with 200 if the service can handle requests. It responds with
// 503 if the store fails, the disk is full or the service is about to stop.
func (s *service) handleReady(w http.ResponseWriter, r *http.Request) {
	if s.isStopping() {
		writeProblem(w, api.NewProblem(api.CodeNotReady, "the service is about to stop"))
		return
	}
	err := s.app.Ready(r.Context())
	s.logReadiness(r.Context(), err)
	if err != nil {
		p := api.NewProblem(api.CodeNotReady, "not ready")
		errors.As(err, &p)
		writeProblem(w, p)
		return
	}
	writeJSON(w, map[string]string{"status": "ready"})
}

// logReadiness logs err, the result of App.Ready, if it differs from the last result. Requests for
// /readyz that have the same result as the one before are not logged, because proxies send them every
// second.
func (s *service) logReadiness(ctx context.Context, err error) {
	if ctx.Err() != nil { // the client has disconnected, which says nothing about the service
		return
	}
	text := ""
	if err != nil {
		text = err.Error() // without the cause, which may differ from request to request
	}
	switch last := s.notReady.Swap(&text); {
	case err != nil && (last == nil || *last != text):
		s.log.WarnContext(ctx, "the service is not ready", "error", errorWithCause{err})
	case err == nil && last != nil && *last != "":
		s.log.InfoContext(ctx, "the service is ready again")
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may have disconnected
}
