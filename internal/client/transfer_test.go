package client_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestUploadRetry closes the connection of an upload before and after the service has accepted
// the file.
func TestUploadRetry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		taken   bool
		uploads int
	}{{"not_taken_is_sent_again", false, 2}, {"taken_is_not", true, 1}} {
		t.Run(c.name, func(t *testing.T) {
			uploads, state := 0, "PENDING"
			d := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					respondJSON(200, `{"datasetKey":"`+key+`","status":"`+state+`"}`)(w, r)
					return
				}
				uploads++
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					t.Error(err)
				}
				if c.taken || uploads > 1 {
					state = "PROCESSING"
				}
				if uploads == 1 {
					panic(http.ErrAbortHandler)
				}
				respondJSON(200, `{"datasetKey":"`+key+`","status":"PROCESSING"}`)(w, r)
			})
			created := &api.CreatedDataset{DatasetKey: key, DatasetUploadInfo: api.UploadInfo{UploadURL: d.URL + "/up"}}
			src := text("id,a,b\n1,2,3\n")
			src.Size = -1 // an unknown size may be too large for AddData
			entry, err := d.client(t, client.Options{}).Upload(t.Context(), created, src, nil)
			if err != nil || entry.Status != api.DatasetProcessing || uploads != c.uploads {
				t.Errorf("%d uploads, %+v, %v", uploads, entry, err)
			}
		})
	}
}

// TestLargeResponse checks that a response is never cut: the limit of [client.Call] is an error, and
// [client.Client.DoRaw] has none.
func TestLargeResponse(t *testing.T) {
	t.Parallel()
	const size = 65 << 20
	d := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"description":%q}`, strings.Repeat("a", size))
	})
	c := d.client(t, client.Options{})
	if _, err := client.Call(t.Context(), c, api.GetDataset, &api.DatasetInput{DatasetKey: key}); err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
		t.Errorf("a call: %v", err)
	}
	resp, err := c.DoRaw(t.Context(), client.RawRequest{Method: http.MethodGet, Path: "/api/v1/datasets/" + key})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if n, err := io.Copy(io.Discard, resp.Body); err != nil || n < size {
		t.Errorf("a raw request: %d bytes, %v", n, err)
	}
}

// TestCreationIsRepeated loses the response to a request that has created a dataset.
func TestCreationIsRepeated(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	cut := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	for _, c := range []struct {
		name    string
		fail    func(http.ResponseWriter) // how the first response is lost
		created bool                      // whether the first request has created the dataset
		dataset string                    // members of the dataset, if it exists
		ok      bool
	}{
		{"not_created", cut, false, "", true},
		{"created", cut, true, `"status":"PENDING","createdOn":"2026-12-01T11:59:58Z","fileName":"a.csv","numberOfBuckets":32`, true},
		{"created_behind_a_proxy", func(w http.ResponseWriter) { respondJSON(502, "")(w, nil) }, true, `"status":"PENDING","createdOn":"2026-12-01T11:59:58Z"`, true},
		{"older", cut, true, `"status":"PENDING","createdOn":"2026-12-01T11:00:00Z"`, false},
		{"of_another_file", cut, true, `"status":"PENDING","createdOn":"2026-12-01T11:59:58Z","fileName":"b.csv"`, false},
		{"with_data", cut, true, `"status":"PROCESSING","createdOn":"2026-12-01T11:59:58Z"`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			posts := 0
			dataset := `{"datasetKey":"` + key + `","datasetName":"midup","datasetUploadInfo":{"uploadUrl":"/up"},` + c.dataset + `}`
			d := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, key):
					respondJSON(200, dataset)(w, r)
				case r.Method == http.MethodGet:
					respondJSON(200, `{"datasets":[`+dataset+`],"total":1}`)(w, r)
				case posts == 0:
					posts++
					c.fail(w)
				case c.created:
					posts++
					respondJSON(409, `{"code":"name-taken","detail":"a dataset named \"midup\" already exists"}`)(w, r)
				default:
					posts++
					respondJSON(201, `{"datasetKey":"`+key+`","datasetUploadInfo":{"uploadUrl":"/up"}}`)(w, r)
				}
			})
			caller := d.client(t, client.Options{Now: func() time.Time { return now }})
			created, err := caller.CreateDataset(t.Context(), &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: "midup", FileName: "a.csv"}})
			switch {
			case posts != 2:
				t.Errorf("%d requests, want 2: %v", posts, err)
			case c.ok && (err != nil || created.DatasetKey != key || created.DatasetUploadInfo.UploadURL != "/up"):
				t.Errorf("got %+v, %v", created, err)
			case !c.ok && api.CodeFromError(err) != api.CodeNameTaken:
				t.Errorf("got %v, want that the name is taken", err)
			}
		})
	}
	t.Run("a_first_conflict_is_one", func(t *testing.T) {
		d := newDeployment(t, respondJSON(409, `{"code":"name-taken"}`))
		if _, err := d.client(t, client.Options{}).CreateDataset(t.Context(), &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: "midup"}}); api.CodeFromError(err) != api.CodeNameTaken || len(d.requests()) != 1 {
			t.Errorf("%v after %d requests", err, len(d.requests()))
		}
	})
}

// TestDownload interrupts downloads, which must resume and write the whole file.
func TestDownload(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("id,prediction\n", 10_000)
	// part returns a handler that serves the requested range of the file and closes the
	// connection after some bytes.
	part := func(ranges bool, tag func(n int) string) http.HandlerFunc {
		n := 0
		return func(w http.ResponseWriter, r *http.Request) {
			n++
			w.Header().Set("ETag", tag(n))
			start := 0
			if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &start); err == nil && ranges {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, len(whole)-1, len(whole)))
				w.Header().Set("Content-Length", fmt.Sprint(len(whole)-start))
				w.WriteHeader(http.StatusPartialContent)
			} else {
				start = 0
				w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
			}
			end := min(start+50_000*n, len(whole))
			_, _ = io.WriteString(w, whole[start:end])
			if end < len(whole) {
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
		}
	}
	same := func(int) string { return `"1"` }
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		fails   string
	}{
		{"goes_on_where_it_stopped", part(true, same), ""},
		{"skips_what_it_has_without_ranges", part(false, same), ""},
		{"refuses_another_version", part(true, func(n int) string { return fmt.Sprintf(`"%d"`, n) }), "changed"},
		{"refuses_a_page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
		}, "not the service's API"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDeployment(t, c.handler)
			var got bytes.Buffer
			n, err := d.client(t, client.Options{}).Download(t.Context(), d.URL+"/result?signature=s", &got)
			switch {
			case c.fails != "":
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("got %v", err)
				}
			case err != nil || n != int64(len(whole)) || got.String() != whole:
				t.Errorf("%d of %d bytes after %d requests, %v", n, len(whole), len(d.requests()), err)
			}
		})
	}
	t.Run("a_full_disk_is_not_the_network", func(t *testing.T) {
		full := errors.New("no space left")
		d := newDeployment(t, part(true, same))
		_, err := d.client(t, client.Options{}).Download(t.Context(), d.URL+"/result", failingWriter{full})
		if !errors.Is(err, full) || len(d.requests()) != 1 {
			t.Errorf("%d requests, %v", len(d.requests()), err)
		}
	})
}

// TestFileStoreOutage transfers files directly to and from an object store that is down, while the
// service itself responds.
func TestFileStoreOutage(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(nil)
	down.Close()
	full := httptest.NewServer(respondJSON(503, "<Error/>"))
	t.Cleanup(full.Close)
	for _, c := range []struct{ name, store, says string }{
		{"refuses_connections", down.URL, "the file store of the service does not respond: no connection"},
		{"responds_503", full.URL, "the file store of the service, " + full.URL + ", returned 503"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDeployment(t, respondJSON(200, `{"datasetKey":"`+key+`","status":"PENDING"}`))
			_, err := d.client(t, client.Options{}).Download(t.Context(), c.store+"/result?X-Amz-Signature=s", io.Discard)
			if err == nil || !strings.Contains(err.Error(), c.says) || len(d.waits) != 7 {
				t.Errorf("download: %v after %d waits", err, len(d.waits))
			}
			d = newDeployment(t, respondJSON(200, `{"datasetKey":"`+key+`","status":"PENDING"}`))
			src := text("id,a,b\n1,2,3\n")
			src.Size = -1 // an unknown size may be too large for AddData
			created := &api.CreatedDataset{DatasetKey: key, DatasetUploadInfo: api.UploadInfo{UploadURL: c.store + "/up?X-Amz-Signature=s"}}
			_, err = d.client(t, client.Options{}).Upload(t.Context(), created, src, nil)
			if err == nil || !strings.Contains(err.Error(), c.says) || len(d.waits) != 7 {
				t.Errorf("upload: %v after %d waits", err, len(d.waits))
			}
		})
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// TestPages reads lists of services that report totals, offsets and limits in different ways.
func TestPages(t *testing.T) {
	t.Parallel()
	const items = 5
	serve := func(most int, envelope func(offset, n int) string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			var offset, limit int
			_, _ = fmt.Sscan(r.URL.Query().Get("offset"), &offset)
			_, _ = fmt.Sscan(r.URL.Query().Get("limit"), &limit)
			var list []string
			for i := offset; i < min(offset+min(limit, most), items); i++ {
				list = append(list, fmt.Sprintf(`{"modelKey":"m%d"}`, i))
			}
			respondJSON(200, `{"models":[`+strings.Join(list, ",")+`]`+envelope(offset, len(list))+`}`)(w, r)
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"total":      serve(2, func(o, _ int) string { return fmt.Sprintf(`,"offset":%d,"limit":2,"total":5`, o) }),
		"nextOffset": serve(2, func(o, n int) string { return fmt.Sprintf(`,"nextOffset":%d`, o+n) }),
		"limit":      serve(2, func(o, _ int) string { return fmt.Sprintf(`,"offset":%d,"limit":2`, o) }),
		"nothing":    serve(1000, func(int, int) string { return "" }),
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for m, err := range client.AllModelsOfDataset(t.Context(), newDeployment(t, handler).client(t, client.Options{}), key) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, m.ModelKey)
			}
			if strings.Join(got, " ") != "m0 m1 m2 m3 m4" {
				t.Errorf("got %v", got)
			}
		})
	}
}

// TestWaitDataset checks that polling slows down and survives an outage.
func TestWaitDataset(t *testing.T) {
	t.Parallel()
	running, away := respondJSON(200, `{"status":"NEW_IN_VERSION_9"}`), respondJSON(503, "{}")
	handlers := []http.HandlerFunc{running, running}
	for range 7 { // more than the attempts of one call
		handlers = append(handlers, away)
	}
	d := newDeployment(t, respondInTurn(append(handlers, running, respondJSON(200, `{"status":"FAILED","failureReason":"line 3"}`))...))
	states := 0
	got, err := d.client(t, client.Options{}).WaitDataset(t.Context(), key, func(*api.Dataset) { states++ })
	if err != nil || got.FailureReason != "line 3" || states != 4 {
		t.Errorf("%+v after %d states, %v", got, states, err)
	}
	if d.waits[0] < 20*time.Millisecond || d.waits[0] > 50*time.Millisecond || d.waits[1] <= d.waits[0] {
		t.Errorf("waited %v", d.waits)
	}
}

// TestMaxPoll checks the maximum interval between polls.
func TestMaxPoll(t *testing.T) {
	t.Parallel()
	running := respondJSON(200, `{"status":"PROCESSING"}`)
	for _, longest := range []time.Duration{0, 100 * time.Millisecond} {
		d := newDeployment(t, respondInTurn(append(slices.Repeat([]http.HandlerFunc{running}, 80), respondJSON(200, `{"status":"COMPLETED"}`))...))
		if _, err := d.client(t, client.Options{MaxPoll: longest}).WaitDataset(t.Context(), key, nil); err != nil {
			t.Fatal(err)
		}
		want := cmp.Or(longest, 2*time.Second)
		if got := slices.Max(d.waits); got != want {
			t.Errorf("the longest of %d waits is %v, want %v", len(d.waits), got, want)
		}
	}
}
