//go:build unix

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/testenv"
)

// TestRollingRestart restarts two services behind a proxy one after the other, while clients
// log in, read, create datasets and upload files, some of them slowly. No request may fail,
// although requests of each client are sent to both services.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes ten seconds")
	}
	balancer := &loadBalancer{}
	proxy := httptest.NewServer(balancer)
	defer proxy.Close()
	flags := []string{"--database", testenv.Postgres(t), "--storage", "file://" + t.TempDir()}
	start := func(dir string) *exec.Cmd {
		service, address := serveAt(t, "127.0.0.1:0", dir, append(flags, "--public-url", proxy.URL, "--trust-proxy", "127.0.0.0/8", "--drain-delay", "500ms", "--data-dir", dir)...)
		balancer.add(t, address)
		return service
	}
	dirs := []string{t.TempDir(), t.TempDir()}
	services := []*exec.Cmd{start(dirs[0]), start(dirs[1])}
	accountOn(t, proxy.URL, append(flags, "--data-dir", dirs[0])...)

	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	var requests atomic.Int64
	for i := range 4 {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if err := useService(proxy.URL, fmt.Sprintf("set-%d-%d", i, n), i == 0, &requests); err != nil {
					t.Errorf("client %d: %v", i, err)
					return
				}
			}
		})
	}
	for round := range 4 {
		before := requests.Load()
		waitUntil(t, "requests", func() bool { return requests.Load() > before+40 || t.Failed() })
		i := round % 2
		if err := services[i].Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := services[i].Wait(); err != nil {
			t.Errorf("the service was not stopped cleanly: %v", err)
		}
		services[i] = start(dirs[i])
	}
	stop()
	clients.Wait()
	t.Logf("%d requests, of them %d to the first two services", requests.Load(), balancer.sent.Load())
}

// useService logs in, creates a dataset, uploads its file and reads it, as one client. If
// slow is set, the upload takes a second.
func useService(address, name string, slow bool, requests *atomic.Int64) error {
	token, err := signIn(address, "a@example.com")
	if err != nil {
		return err
	}
	requests.Add(1)
	send := func(method, target string, body io.Reader, want int) ([]byte, error) {
		time.Sleep(50 * time.Millisecond) // the clients share an account, which may send 100 requests per second
		req, err := http.NewRequest(method, target, body)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		if method == http.MethodPost {
			req.Header.Set("Content-Type", "application/json")
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != want {
			err = fmt.Errorf("%s %s: %s %s", method, target, resp.Status, text)
		}
		requests.Add(1)
		return text, err
	}
	answer, err := send(http.MethodPost, address+api.CreateDataset.Path, strings.NewReader(`{"datasetName":"`+name+`"}`), http.StatusCreated)
	if err != nil {
		return err
	}
	var created api.CreatedDataset
	if err := json.Unmarshal(answer, &created); err != nil {
		return err
	}
	if !strings.HasPrefix(created.DatasetUploadInfo.UploadURL, address) {
		return fmt.Errorf("the upload URL is %s", created.DatasetUploadInfo.UploadURL)
	}
	var csv io.Reader = strings.NewReader("id,size,kind\n1,1,a\n2,2,b\n")
	if slow {
		csv = &slowReader{parts: []string{"id,size,kind\n", "1,1,a\n", "2,2,b\n", "3,1,a\n", "4,2,b\n"}, pause: 200 * time.Millisecond}
	}
	if _, err := send(http.MethodPut, created.DatasetUploadInfo.UploadURL, csv, http.StatusOK); err != nil {
		return err
	}
	for range 5 {
		if _, err := send(http.MethodGet, address+"/api/v1/datasets/"+created.DatasetKey, nil, http.StatusOK); err != nil {
			return err
		}
	}
	return nil
}

// slowReader returns the elements of its list one by one, with pauses between them.
type slowReader struct {
	parts []string
	pause time.Duration
}

func (s *slowReader) Read(p []byte) (int, error) {
	if len(s.parts) == 0 {
		return 0, io.EOF
	}
	<-time.After(s.pause)
	n := copy(p, s.parts[0])
	if s.parts[0] = s.parts[0][n:]; s.parts[0] == "" {
		s.parts = s.parts[1:]
	}
	return n, nil
}

// loadBalancer is a reverse proxy. It checks every 50 ms which services respond with 200 at
// /readyz, and sends each request to the next of these. It never sends a request twice.
type loadBalancer struct {
	mu       sync.Mutex
	services []*balancedService
	next     int
	sent     atomic.Int64 // requests to the first two services
}

type balancedService struct {
	proxy *httputil.ReverseProxy
	ready atomic.Bool
}

// add makes the load balancer use a service until the test ends. The service must be
// ready.
func (b *loadBalancer) add(t *testing.T, address string) {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s := &balancedService{proxy: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, "proxy: "+err.Error(), http.StatusBadGateway)
		},
		Transport: &http.Transport{},
	}}
	b.mu.Lock()
	b.services = append(b.services, s)
	b.mu.Unlock()
	isReady := func() bool {
		resp, err := http.Get(address + "/readyz") //nolint:noctx // it is answered at once
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	}
	waitUntil(t, address, isReady)
	s.ready.Store(true)
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for s.ready.Load() {
			select {
			case <-t.Context().Done():
				return
			case <-tick.C:
				s.ready.Store(isReady())
			}
		}
	}()
}

// ServeHTTP sends a request to a service that is ready.
func (b *loadBalancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	var chosen *balancedService
	for range b.services {
		b.next = (b.next + 1) % len(b.services)
		if s := b.services[b.next]; s.ready.Load() {
			if chosen = s; b.next < 2 {
				b.sent.Add(1)
			}
			break
		}
	}
	b.mu.Unlock()
	if chosen == nil {
		http.Error(w, "no service is ready", http.StatusServiceUnavailable)
		return
	}
	chosen.proxy.ServeHTTP(w, r)
}
