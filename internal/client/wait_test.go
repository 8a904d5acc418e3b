package client_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
)

// transportFunc is a transport without a network, for tests whose clock is simulated.
type transportFunc func(r *http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// respond returns a response with the given status and JSON.
func respond(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}
}

// TestOutageOfWait waits for a dataset while the service is unavailable for some time. The
// responses are 503 without Retry-After, like those of a proxy that has no ready service.
func TestOutageOfWait(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		outage time.Duration
		ends   time.Duration // the latest time at which the wait may end
		ok     bool
	}{
		{"a_short_outage", time.Minute, 90 * time.Second, true},
		{"two_minutes", 2 * time.Minute, 150 * time.Second, true},
		{"too_long", time.Hour, 6 * time.Minute, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				service, err := client.New(client.Options{BaseURL: "http://example.org", Transport: transportFunc(func(*http.Request) (*http.Response, error) {
					if time.Since(began) < c.outage {
						return respond(503, "<html>no server is available</html>"), nil
					}
					return respond(200, `{"status":"COMPLETED"}`), nil
				})})
				if err != nil {
					t.Fatal(err)
				}
				notes := 0
				_, err = service.WaitDataset(t.Context(), key, func(d *api.Dataset) {
					if d == nil {
						notes++
					}
				})
				if elapsed := time.Since(began); (err == nil) != c.ok || elapsed > c.ends || !c.ok && elapsed < 5*time.Minute || notes == 0 {
					t.Errorf("ended after %v with %d notes of the outage: %v", elapsed, notes, err)
				}
			})
		})
	}
	t.Run("timeout_ends_it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			began := time.Now()
			service, err := client.New(client.Options{BaseURL: "http://example.org", Transport: transportFunc(func(*http.Request) (*http.Response, error) {
				return respond(503, ""), nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = service.WaitTraining(ctx, key, nil); err == nil || time.Since(began) != 10*time.Second {
				t.Errorf("ended after %v: %v", time.Since(began), err)
			}
		})
	})
	t.Run("a_login_during_the_outage_is_repeated", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			opts := client.Options{BaseURL: "http://example.org", Token: "old", Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				if r.Header.Get("Authorization") == "Bearer old" {
					return respond(401, `{"code":"unauthorized"}`), nil
				}
				return respond(200, `{"status":"COMPLETED"}`), nil
			})}
			opts.Relogin = func(context.Context) (string, error) {
				if time.Since(began) < time.Second {
					return "", api.NewProblem(api.CodeNotReady, "no database")
				}
				return "new", nil
			}
			service, err := client.New(opts)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := service.WaitDataset(t.Context(), key, nil); err != nil {
				t.Error(err)
			}
		})
	})
}
