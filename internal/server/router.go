package server

import (
	"net/http"
	"slices"
	"strings"
)

// router finds the handler of a request by its method and path. It stands in
// for http.ServeMux, which refuses the service's documented paths as ambiguous:
// /training/{key}/progress and /training/datasets/{key} both match
// /training/datasets/progress. Here a literal segment goes before a parameter,
// from the left. It also answers all other requests the way the API does.
type router struct {
	routes []route
	// refuse answers a request that has no route (404) or another method
	// (405, with Allow set).
	refuse func(w http.ResponseWriter, r *http.Request, status int)
}

type route struct {
	method   string
	segments []string // a parameter is {name}
	handler  http.HandlerFunc
}

// HandleFunc adds a route such as "GET /things/{key}". It is the half of
// humago's Mux that huma registers operations with.
func (rt *router) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	method, path, _ := strings.Cut(pattern, " ")
	rt.routes = append(rt.routes, route{method: method, segments: split(path), handler: handler})
}

// ServeHTTP answers with the best route for the request.
func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := split(r.URL.EscapedPath())
	matching := rt.matching(path)
	if len(matching) == 0 {
		rt.refuse(w, r, http.StatusNotFound)
		return
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet // net/http leaves the body out
	}
	for _, route := range matching {
		if route.method == method {
			route.bind(r, path)
			route.handler(w, r)
			return
		}
	}
	w.Header().Set("Allow", allowed(matching))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	rt.refuse(w, r, http.StatusMethodNotAllowed)
}

// matching returns the routes of the most specific pattern that fits the path.
func (rt *router) matching(path []string) []route {
	var best []route
	for _, candidate := range rt.routes {
		if !candidate.fits(path) {
			continue
		}
		order := 1
		if len(best) > 0 {
			order = compareSpecific(candidate.segments, best[0].segments)
		}
		switch {
		case order > 0:
			best = []route{candidate}
		case order == 0:
			best = append(best, candidate)
		}
	}
	return best
}

// fits tells whether the segments of a path match the route's.
func (r *route) fits(path []string) bool {
	if len(path) != len(r.segments) {
		return false
	}
	for i, segment := range r.segments {
		if isParam(segment) {
			if path[i] == "" {
				return false
			}
		} else if path[i] != segment {
			return false
		}
	}
	return true
}

// bind hands the parameters to the request.
func (r *route) bind(req *http.Request, path []string) {
	for i, segment := range r.segments {
		if isParam(segment) {
			req.SetPathValue(segment[1:len(segment)-1], unescape(path[i]))
		}
	}
}

// compareSpecific is positive if a goes before b: it has the first literal
// where the other has a parameter.
func compareSpecific(a, b []string) int {
	for i := range a {
		switch pa, pb := isParam(a[i]), isParam(b[i]); {
		case pa == pb:
		case pb:
			return 1
		default:
			return -1
		}
	}
	return 0
}

// allowed lists the methods of routes for the Allow header.
func allowed(routes []route) string {
	methods := []string{http.MethodOptions}
	for _, r := range routes {
		methods = append(methods, r.method)
		if r.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return strings.Join(slices.Compact(methods), ", ")
}

func split(path string) []string { return strings.Split(strings.TrimPrefix(path, "/"), "/") }

func isParam(segment string) bool { return strings.HasPrefix(segment, "{") }
