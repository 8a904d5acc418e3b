package client_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"foretell/internal/client"
)

// TestBrokenDownload breaks the first connection of a download. The download must return the whole
// file, or an error.
func TestBrokenDownload(t *testing.T) {
	t.Parallel()
	first, second := strings.Repeat("id,prediction\n", 1000), strings.Repeat("id,predicted_\n", 1000)
	half := len(first) / 2
	send := func(w http.ResponseWriter, text string) {
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
	}
	// serve serves a file with support for ranges.
	serve := func(w http.ResponseWriter, r *http.Request, tag, file string) {
		if tag != "" {
			w.Header().Set("ETag", tag)
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(file))
	}
	for _, tt := range []struct {
		name string
		// start responds to the first request, and rest to the others.
		start, rest http.HandlerFunc
		fails       string
	}{
		{
			"after_the_last_byte_of_an_unknown_length", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("ETag", `"1"`)
				send(w, first)
				panic(http.ErrAbortHandler)
			}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", len(first)))
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			}, "",
		},
		{
			"of_an_unknown_length_that_was_longer", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("ETag", `"1"`)
				send(w, first)
				panic(http.ErrAbortHandler)
			}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", half))
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			}, "416",
		},
		{
			"without_a_version", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(len(first)))
				send(w, first[:half])
				panic(http.ErrAbortHandler)
			}, func(w http.ResponseWriter, r *http.Request) { serve(w, r, "", first) }, "",
		},
		{
			"without_a_version_of_a_changed_file", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(len(first)))
				send(w, first[:half])
				panic(http.ErrAbortHandler)
			}, func(w http.ResponseWriter, r *http.Request) { serve(w, r, "", second) }, "changed",
		},
		{
			"of_a_changed_file", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("ETag", `"1"`)
				w.Header().Set("Content-Length", fmt.Sprint(len(first)))
				send(w, first[:half])
				panic(http.ErrAbortHandler)
			}, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("If-Range") != `"1"` {
					t.Errorf("If-Range is %q", r.Header.Get("If-Range"))
				}
				serve(w, r, `"2"`, second)
			}, "changed",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			requests := 0
			d := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
				if requests++; requests == 1 {
					tt.start(w, r)
					return
				}
				tt.rest(w, r)
			})
			var got bytes.Buffer
			_, err := d.client(t, client.Options{}).Download(t.Context(), d.URL+"/result", &got)
			switch {
			case tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)):
				t.Errorf("got %v", err)
			case tt.fails == "" && (err != nil || got.String() != first):
				t.Errorf("%d of %d bytes after %d requests, %v", got.Len(), len(first), requests, err)
			}
		})
	}
}
