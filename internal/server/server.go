// Package server serves the endpoints of package api over HTTP with the
// operations of package app: routes, what a request has to look like before an
// operation sees it, problem details for every error, logs and metrics, and the
// OpenAPI document.
//
// A request passes, from the outside in:
//
//	observe   request id, access log, metrics, panics, bodies of the refused
//	router    404, 405, OPTIONS
//	admit     bearer token → caller, keys and numbers that can be read, content type
//	huma      bounds of parameters and JSON
//	mount     the app's method, its answer with status and Location
//
// Files are streamed: an upload goes from the socket to the app's store, never
// through a form or a buffer as large as itself.
package server

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"foretell/internal/api"
	"foretell/internal/app"
)

// Options configure the service's HTTP side. The zero value serves.
type Options struct {
	// Log takes one line for each request and the causes of failures. Nil
	// discards them.
	Log *slog.Logger
	// Now is the clock. Nil leaves requests untimed and the log-ins of an
	// address unlimited.
	Now func() time.Time
	// PublicURL is what absolute addresses begin with, such as
	// https://foretell.example.com. Defaults to the scheme and host of each
	// request.
	PublicURL string
	// TrustProxy believes X-Forwarded-For, -Proto and -Host. Set it only behind
	// a proxy that sets them: otherwise any caller could.
	TrustProxy bool
	// Version is the service's, for the OpenAPI document.
	Version string
	// LoginBurst is how many wrong log-ins an address has at once, LoginEvery
	// how long it takes to regain one. Default to 20 and 3 seconds.
	LoginBurst int
	LoginEvery time.Duration
}

// service is what the handlers share.
type service struct {
	app     *app.App
	opts    Options
	log     *slog.Logger
	api     huma.API
	metrics *metrics
	logins  *limiter // nil without a clock
}

// New returns the handler of the whole service: the API, /openapi.json, /healthz,
// /readyz and /metrics.
func New(a *app.App, opts Options) http.Handler {
	s := newService(a, opts)
	rt := &router{refuse: s.refuse}
	s.mountAll(rt)
	document, err := s.api.OpenAPI().MarshalJSON()
	if err != nil {
		s.log.Error("the OpenAPI document cannot be written", "error", err)
	}
	rt.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.oai.openapi+json; version=3.1")
		_, _ = w.Write(document)
	})
	rt.HandleFunc("GET /healthz", s.health)
	rt.HandleFunc("GET /readyz", s.ready)
	rt.HandleFunc("GET /metrics", s.metrics.handler().ServeHTTP)
	rt.HandleFunc("GET /", s.root)
	return s.observe(rt)
}

// HTTPServer returns a server with limits on all that can hang or flood, and none
// on how long an upload or download takes.
func HTTPServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // observe logs what matters
	}
}

func newService(a *app.App, opts Options) *service {
	s := &service{app: a, opts: opts, log: opts.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.metrics = newMetrics(jobCollector{app: a, log: s.log})
	if s.opts.LoginBurst <= 0 {
		s.opts.LoginBurst = 20
	}
	if s.opts.LoginEvery <= 0 {
		s.opts.LoginEvery = 3 * time.Second
	}
	if opts.Now != nil {
		s.logins = newLimiter(s.opts.LoginBurst, s.opts.LoginEvery, opts.Now)
	}
	return s
}

// mountAll registers every operation on the router.
func (s *service) mountAll(rt *router) {
	s.api = humago.New(rt, apiConfig(s.opts.Version))
	s.mountEndpoints()
	s.mountStreams()
	describe(s.api.OpenAPI())
}

// refuse answers what has no route.
func (s *service) refuse(w http.ResponseWriter, r *http.Request, status int) {
	if status == http.StatusMethodNotAllowed {
		writeProblem(w, api.NewProblem(api.CodeMethodNotAllowed, "%s is not answered here; Allow lists what is", r.Method))
		return
	}
	writeProblem(w, api.NewProblem(api.CodeNoRoute, "there is no operation at this address; /openapi.json lists them all"))
}

// root points a person or a program at the rest.
func (s *service) root(w http.ResponseWriter, r *http.Request) {
	base := s.baseURL(r)
	writeJSON(w, map[string]string{
		"service": "foretell", "version": s.opts.Version,
		"openapi": base + "/openapi.json", "login": base + api.LogIn.Path, "health": base + "/healthz",
	})
}

// health says that the process answers at all.
func (s *service) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]string{"status": "ok"})
}

// ready says whether requests can be served: 503 while the store is away.
func (s *service) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.app.Ready(r.Context()); err != nil {
		p := s.problemOf(r.Context(), err)
		if p.Code != api.CodeNotReady {
			p = api.NewProblem(api.CodeNotReady, "not ready")
		}
		writeProblem(w, p)
		return
	}
	writeJSON(w, map[string]string{"status": "ready"})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}
