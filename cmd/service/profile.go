package service

import (
	"fmt"
	"net/http"
	"runtime/pprof"
	"strconv"
	"time"
)

// handleProfiles serves the profiles of package runtime/pprof for `go tool pprof`. It does not use
// package net/http/pprof, which would also serve the command line of the process, with possible
// passwords.
func handleProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/{$}", listProfiles)
	mux.HandleFunc("GET /debug/pprof/profile", serveCPUProfile)
	mux.HandleFunc("GET /debug/pprof/{name}", serveProfile)
}

// listProfiles prints the names of the profiles, one per line.
func listProfiles(w http.ResponseWriter, _ *http.Request) {
	for _, p := range pprof.Profiles() {
		fmt.Fprintln(w, p.Name())
	}
	fmt.Fprintln(w, "profile")
}

// serveProfile writes a profile, such as heap or goroutine. The query parameter debug is 0 for the binary
// form, 1 for a text, or 2 for a text with the stacks of all goroutines.
func serveProfile(w http.ResponseWriter, r *http.Request) {
	p := pprof.Lookup(r.PathValue("name"))
	if p == nil {
		http.NotFound(w, r)
		return
	}
	debug, err := strconv.Atoi(r.FormValue("debug"))
	if err != nil {
		debug = 0
	}
	if debug > 0 {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	} else {
		w.Header().Set("Content-Type", "application/octet-stream")
	}
	_ = p.WriteTo(w, debug) // fails only if the connection was lost
}

// maxProfileSeconds is the longest duration of a CPU profile.
const maxProfileSeconds = 300

// serveCPUProfile records a CPU profile for the number of seconds in the query parameter seconds, 30 by
// default, and writes it.
func serveCPUProfile(w http.ResponseWriter, r *http.Request) {
	seconds := 30.0
	if text := r.FormValue("seconds"); text != "" {
		var err error
		if seconds, err = strconv.ParseFloat(text, 64); err != nil || !(seconds > 0 && seconds <= maxProfileSeconds) {
			http.Error(w, fmt.Sprintf("seconds must be above 0 and at most %d", maxProfileSeconds), http.StatusBadRequest)
			return
		}
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if err := pprof.StartCPUProfile(w); err != nil {
		http.Error(w, "another CPU profile is being recorded: try again later", http.StatusConflict)
		return
	}
	defer pprof.StopCPUProfile()
	select {
	case <-time.After(time.Duration(seconds * float64(time.Second))):
	case <-r.Context().Done():
	}
}
