package client_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"foretell/internal/client"
)

// TestObserve checks the numbers of bytes that Observe reports.
func TestObserve(t *testing.T) {
	t.Parallel()
	d := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Set-Cookie", "session=hidden")
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "0123456789")
	})
	var seen []client.RoundTrip
	c := d.client(t, client.Options{Token: "hidden", Wrap: func(rt http.RoundTripper) http.RoundTripper {
		return client.Observe(rt, nil, func(e client.RoundTrip) { seen = append(seen, e) })
	}})
	resp, err := c.DoRaw(t.Context(), client.RawRequest{
		Method: "PUT", Path: "/x?signature=hidden", Size: 3,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("abc")), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != "0123456789" || resp.Body.Close() != nil {
		t.Fatalf("%q, %v", body, err)
	}
	if len(seen) != 1 || seen[0].Sent != 3 || seen[0].Received != 10 || seen[0].Status != 200 || seen[0].Method != "PUT" {
		t.Errorf("saw %+v", seen)
	}
	if strings.Contains(fmt.Sprintf("%+v", seen), "hidden") {
		t.Errorf("shown a secret: %+v", seen)
	}
}

// TestDoOnlyCallsTheService checks that a raw request is sent to no other service. It must
// have the token if its headers have no Authorization.
func TestDoOnlyCallsTheService(t *testing.T) {
	t.Parallel()
	var got []string
	d := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization")+" "+r.URL.Path)
		respondJSON(200, "{}")(w, r)
	})
	c := d.client(t, client.Options{Token: "mine"})
	for _, raw := range []client.RawRequest{
		{Method: "GET", Path: "a/b"},
		{Method: "GET", Path: d.URL + "/c"},
		{Method: "GET", Path: "/d", Header: http.Header{"Authorization": {"Basic x"}}},
	} {
		resp, err := c.DoRaw(t.Context(), raw)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	if want := "Bearer mine /a/b,Bearer mine /c,Basic x /d"; strings.Join(got, ",") != want {
		t.Errorf("sent %v, want %s", got, want)
	}
	for _, path := range []string{"https://example.com/x", "http://127.0.0.1:1/x"} {
		if resp, err := c.DoRaw(t.Context(), client.RawRequest{Method: "GET", Path: path}); err == nil {
			_ = resp.Body.Close()
			t.Errorf("%s was called", path)
		}
	}
}

// TestSummarizeRequest checks that summaries of requests have no secrets.
func TestSummarizeRequest(t *testing.T) {
	t.Parallel()
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://a.example/login?signature=hidden", strings.NewReader(`{"username":"ada","password":"hidden"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Amz-Security-Token", "hidden")
	s := client.ConsumeAndSummarize(req)
	if s.JSON != `{"password":"[cut]","username":"ada"}` || s.Bytes != 38 || strings.Contains(fmt.Sprintf("%+v", s), "hidden") {
		t.Errorf("%+v", s)
	}
}
