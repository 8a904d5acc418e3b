package server

import (
	"net/http"
	"slices"
	"strings"
)

// router calls the handler of a request, by method and path. If several patterns match the path,
// the most specific pattern wins: at the first segment where the patterns differ, it has a literal,
// and the other patterns have a parameter. For example, /training/datasets/progress matches
// /training/{key}/progress and /training/datasets/{key}, and the second wins. http.ServeMux refuses
// such a pair of patterns, but the documented API has it.
type router struct {
	routes []route
	// writeError responds with status 404 if the path is unknown, or 405 if the method is not
	// allowed. For 405, the header Allow is already set.
	writeError func(w http.ResponseWriter, r *http.Request, status int)
}

type route struct {
	method   string
	segments []string // a parameter is {name}
	handler  http.HandlerFunc
}

// HandleFunc adds a route such as "GET /things/{key}". It implements humago.Mux.
func (rt *router) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	method, path, _ := strings.Cut(pattern, " ")
	rt.routes = append(rt.routes, route{method: method, segments: splitPath(path), handler: handler})
}

// ServeHTTP calls the handler of the most specific route.
func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := splitPath(r.URL.EscapedPath())
	matching := rt.mostSpecific(path)
	if len(matching) == 0 {
		rt.writeError(w, r, http.StatusNotFound)
		return
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet // net/http omits the body of a response to HEAD
	}
	for _, route := range matching {
		if route.method == method {
			route.setPathValues(r, path)
			route.handler(w, r)
			return
		}
	}
	w.Header().Set("Allow", allowedMethods(matching))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	rt.writeError(w, r, http.StatusMethodNotAllowed)
}

// mostSpecific returns the routes with the most specific pattern that matches the path; see router.
// They differ only in their methods.
func (rt *router) mostSpecific(path []string) []route {
	var best []route
	for _, candidate := range rt.routes {
		if !candidate.matches(path) {
			continue
		}
		order := 1
		if len(best) > 0 {
			order = compareSpecificity(candidate.segments, best[0].segments)
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

// matches reports whether a path, split into segments, matches the route.
func (r *route) matches(path []string) bool {
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

// setPathValues sets the path values of a request from the segments of its path.
func (r *route) setPathValues(req *http.Request, path []string) {
	for i, segment := range r.segments {
		if isParam(segment) {
			req.SetPathValue(segment[1:len(segment)-1], unescapeSegment(path[i]))
		}
	}
}

// compareSpecificity compares the segments of two routes that match the same path. The result is
// positive if a is more specific than b, negative if b is more specific than a, and 0 if both have
// parameters at the same places; see router.
func compareSpecificity(a, b []string) int {
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

// allowedMethods returns the value of the Allow header for a path with these routes.
func allowedMethods(routes []route) string {
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

func splitPath(path string) []string { return strings.Split(strings.TrimPrefix(path, "/"), "/") }

func isParam(segment string) bool { return strings.HasPrefix(segment, "{") }
