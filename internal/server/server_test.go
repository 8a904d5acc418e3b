package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/account"
	"foretell/internal/api"
	"foretell/internal/server"
)

// TestValidValues creates datasets with values just within the documented limits. TestProblems has
// the values just outside them.
func TestValidValues(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	for name, body := range map[string]string{
		"name_of_3":           `{"datasetName":"äöü"}`,
		"name_of_30":          `{"datasetName":"` + strings.Repeat("é", 30) + `"}`,
		"description_null":    `{"datasetName":"null","description":null}`,
		"description_of_3":    `{"datasetName":"d of 3","description":"abc"}`,
		"description_of_150":  `{"datasetName":"d of 150","description":"` + strings.Repeat("語", 150) + `"}`,
		"buckets_4":           `{"datasetName":"b of 4","numberOfBuckets":4}`,
		"buckets_100":         `{"datasetName":"b of 100","numberOfBuckets":100}`,
		"buckets_null":        `{"datasetName":"b of null","numberOfBuckets":null}`,
		"type_with_a_charset": `{"datasetName":"charset"}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := call{method: "POST", path: "/api/v1/datasets", json: body}
			if name == "type_with_a_charset" {
				c.header = map[string]string{"Content-Type": "Application/JSON; charset=utf-8"}
			}
			var created api.CreatedDataset
			resp := w.must(t, c, &created)
			path := "/api/v1/datasets/" + created.DatasetKey
			if resp.StatusCode != http.StatusCreated || resp.Header.Get("Location") != w.url+path {
				t.Errorf("%d, Location %q", resp.StatusCode, resp.Header.Get("Location"))
			}
			if created.Status != api.DatasetPending || created.DatasetCreationProgressURL != w.url+path {
				t.Errorf("created %+v", created)
			}
		})
	}
}

// TestEqualNames creates a dataset with the name of another dataset, but with decomposed Unicode
// characters.
func TestEqualNames(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	w.newDataset(t, "caf\u00e9")
	resp, body := w.send(t, call{method: "POST", path: "/api/v1/datasets", json: `{"datasetName":"cafe\u0301"}`})
	if resp.StatusCode != http.StatusConflict {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

// TestPages reads lists page by page.
func TestPages(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	for _, name := range []string{"one", "two", "three"} {
		w.newDataset(t, name)
	}
	for _, c := range []struct{ name, query, want string }{
		{"first_page", "offset=0&limit=2", `{"names":["three","two"],"offset":0,"limit":2,"nextOffset":2,"total":3}`},
		{"last_page", "offset=2&limit=2", `{"names":["one"],"offset":2,"limit":2,"nextOffset":null,"total":3}`},
		{"past_the_end", "offset=9&limit=2", `{"names":[],"offset":9,"limit":2,"nextOffset":null,"total":3}`},
		{"limit_above_the_largest", "offset=0&limit=5000", `{"names":["three","two","one"],"offset":0,"limit":1000,"nextOffset":null,"total":3}`},
		{"limit_of_64_bits", "offset=0&limit=9223372036854775807", `{"names":["three","two","one"],"offset":0,"limit":1000,"nextOffset":null,"total":3}`},
		{"state", "offset=0&limit=9&state=COMPLETED", `{"names":[],"offset":0,"limit":9,"nextOffset":null,"total":0}`},
		{"withModelOnly", "offset=0&limit=9&withModelOnly=true", `{"names":[],"offset":0,"limit":9,"nextOffset":null,"total":0}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var page struct {
				Names      []string `json:"names"`
				Datasets   string   `json:"datasets,omitempty"`
				Offset     int64    `json:"offset"`
				Limit      int64    `json:"limit"`
				NextOffset *int64   `json:"nextOffset"`
				Total      int64    `json:"total"`
			}
			w.must(t, call{method: "GET", path: "/api/v1/datasets?" + c.query}, &page)
			var entries []api.DatasetEntry
			if err := json.Unmarshal([]byte(page.Datasets), &entries); err != nil {
				t.Fatalf("datasets is %q: %v", page.Datasets, err)
			}
			page.Datasets, page.Names = "", []string{}
			for _, entry := range entries {
				page.Names = append(page.Names, entry.DatasetName)
			}
			if got, _ := json.Marshal(page); string(got) != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestMethods tests HEAD, OPTIONS and unsupported methods.
func TestMethods(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	t.Run("405_lists_what_is_allowed", func(t *testing.T) {
		resp, _ := w.send(t, call{method: "PUT", path: "/api/v1/datasets"})
		if got := resp.Header.Get("Allow"); got != "GET, HEAD, OPTIONS, POST" {
			t.Errorf("Allow: %s", got)
		}
	})
	t.Run("options_needs_no_token", func(t *testing.T) {
		resp, _ := w.send(t, call{method: "OPTIONS", path: "/api/v1/datasets/" + noKey, anonymous: true})
		if got := resp.Header.Get("Allow"); resp.StatusCode != http.StatusNoContent || got != "DELETE, GET, HEAD, OPTIONS" {
			t.Errorf("%d, Allow: %s", resp.StatusCode, got)
		}
	})
	t.Run("head_is_get_without_a_body", func(t *testing.T) {
		resp, body := w.send(t, call{method: "HEAD", path: "/api/v1/datasets?offset=0&limit=1"})
		if resp.StatusCode != http.StatusOK || len(body) != 0 {
			t.Errorf("%d with %d bytes", resp.StatusCode, len(body))
		}
	})
	t.Run("a_literal_goes_before_a_parameter", func(t *testing.T) {
		resp, body := w.send(t, call{method: "GET", path: "/api/v1/training/datasets/progress?offset=0&limit=1"})
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), `"field":"datasetKey"`) {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	})
}

// TestNonAPIRoutes tests the routes that are not part of the API.
func TestNonAPIRoutes(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{PublicURL: "https://foretell.example.com/"})
	w.newDataset(t, "counted")
	created := w.newDataset(t, "prepared")
	w.must(t, call{method: "POST", path: "/api/v1/datasets/" + created.DatasetKey + "/data", form: "id,a,b\n1,2,3\n2,3,4\n"}, nil)
	w.poll(t, "/api/v1/datasets/"+created.DatasetKey)
	for path, want := range map[string]string{
		"/healthz":      `{"status":"ok"}`,
		"/readyz":       `{"status":"ready"}`,
		"/":             `"openapi":"https://foretell.example.com/openapi.json"`,
		"/metrics":      `foretell_http_requests_total{operation="createDataset",status="201"} 2`,
		"/openapi.json": `"openapi":"3.1.0"`,
	} {
		resp, body := w.send(t, call{method: "GET", path: path, anonymous: true})
		if resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	t.Run("metrics_count_jobs", func(t *testing.T) {
		_, body := w.send(t, call{method: "GET", path: "/metrics", anonymous: true})
		for _, want := range []string{`foretell_jobs{kind="train",state="queued"} 0`, `foretell_workers{scanning="false"} 1`, `foretell_jobs_finished_total{kind="prepare",outcome=`} {
			if !strings.Contains(string(body), want) {
				t.Errorf("no %s in %s", want, body)
			}
		}
	})
	t.Run("addresses_begin_with_the_public_url", func(t *testing.T) {
		created := w.newDataset(t, "public")
		if !strings.HasPrefix(created.DatasetUploadInfo.UploadURL, "https://foretell.example.com/api/v1/datasets/") {
			t.Errorf("uploadUrl %s", created.DatasetUploadInfo.UploadURL)
		}
	})
	t.Run("a_forwarded_host_is_not_believed_unasked", func(t *testing.T) {
		plain := newTestServer(t, server.Options{})
		_, body := plain.send(t, call{method: "GET", path: "/", header: map[string]string{"X-Forwarded-Host": "evil.example"}})
		if strings.Contains(string(body), "evil") {
			t.Errorf("%s", body)
		}
	})
}

// TestLoginLimit sends wrong passwords from one address.
func TestLoginLimit(t *testing.T) {
	t.Parallel()
	begin, passed := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), atomic.Int64{}
	w := newTestServer(t, server.Options{Now: func() time.Time { return begin.Add(time.Duration(passed.Load())) }}, account.Options{LoginBurst: 3, LoginInterval: 30 * time.Second})
	w.addUser(t)
	wrong := call{method: "POST", path: "/api/login", json: `{"username":"x@example.com","password":"wrong"}`}
	for range 3 {
		if resp, body := w.send(t, wrong); resp.StatusCode != http.StatusUnauthorized {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
	}
	resp, _ := w.send(t, wrong)
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "30" {
		t.Fatalf("%d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
	passed.Store(int64(31 * time.Second))
	right := call{method: "POST", path: "/api/login", json: `{"username":"` + testUser + `","password":"` + testPassword + `"}`}
	for range 5 {
		w.must(t, right, nil) // a right password costs nothing
	}
}

// TestRequestRate sends more requests of one account than the service accepts. Other accounts and
// public operations are not affected.
func TestRequestRate(t *testing.T) {
	t.Parallel()
	var elapsed atomic.Int64 // the clock stands still unless the test advances it
	began := time.Now()
	now := func() time.Time { return began.Add(time.Duration(elapsed.Load())) }
	s := newTestServer(t, server.Options{RequestsPerSecond: 2, Now: now})
	s.addUser(t)
	user := s.as(t, testUser, testPassword)
	read := call{method: "GET", path: "/api/v1/datasets?offset=0&limit=1"}
	for range 12 {
		user.must(t, read, nil)
	}
	user.refused(t, refusal{call: read, want: 429, code: api.CodeTooMany})
	if resp, _ := user.send(t, read); resp.Header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", resp.Header.Get("Retry-After"))
	}
	s.must(t, read, nil)
	user = s.as(t, testUser, testPassword)
	user.refused(t, refusal{call: read, want: 429, code: api.CodeTooMany}) // another token of the account
	elapsed.Store(int64(time.Second))
	user.must(t, read, nil)
	user.must(t, read, nil)
	user.refused(t, refusal{call: read, want: 429, code: api.CodeTooMany})

	elapsed.Add(int64(time.Minute))
	b := newBrowser(t, s.url)
	b.signIn(t) // and shows the front page
	for range 11 {
		b.expect(t, "/account", nil, 200, "<title>Account") // sends several requests to the API
	}
	b.expect(t, "/account", nil, 429, "too many requests (limit: 2 per second); try again in 1 second")
}
