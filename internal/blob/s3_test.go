package blob

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/testenv"
)

// openAt opens a store. The given variables replace the environment variables of the process that
// have the same names.
func openAt(t *testing.T, location *url.URL, variables map[string]string) (*Store, error) {
	t.Helper()
	return Open(t.Context(), location.String(), Options{Process: "a", TempDir: t.TempDir(), Getenv: func(name string) string {
		if value, ok := variables[name]; ok {
			return value
		}
		return os.Getenv(name)
	}})
}

func TestBucketThatCannotBeOpened(t *testing.T) {
	location := testenv.S3(t)
	missing := *location
	missing.Host = "missing-bucket"
	for _, tt := range []struct {
		name      string
		location  *url.URL
		variables map[string]string
		want      error
		message   string
	}{
		{"a wrong secret", location, map[string]string{"AWS_SECRET_ACCESS_KEY": "a wrong secret"}, ErrCredentials, "SignatureDoesNotMatch"},
		{"an unknown key", location, map[string]string{"AWS_ACCESS_KEY_ID": "unknown"}, ErrCredentials, "key"},
		{"no key", location, map[string]string{"AWS_ACCESS_KEY_ID": "", "HOME": t.TempDir(), "AWS_SHARED_CREDENTIALS_FILE": "missing"}, ErrCredentials, "no credentials for the S3 store were found"},
		{"a missing bucket", &missing, nil, ErrNoBucket, "NoSuchBucket"},
		{"nobody at the endpoint", testenv.ReplaceEndpoint(location, "http://127.0.0.1:1"), nil, ErrUnavailable, "127.0.0.1:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := openAt(t, tt.location, tt.variables)
			wantError(t, err, tt.want)
			wantError(t, err, ErrUnavailable)
			var wrongConfig *configError
			isOutage := !errors.As(tt.want, &wrongConfig)
			if says := err != nil && strings.Contains(err.Error(), ErrUnavailable.Error()); says != isOutage {
				t.Errorf("error %v says %v that the store is unavailable", err, says)
			}
			if err == nil || !strings.Contains(err.Error(), tt.message) {
				t.Errorf("error %v, want one with %q", err, tt.message)
			}
			for secret := range maps.Values(tt.variables) {
				if secret != "" && err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("error %v contains %q", err, secret)
				}
			}
		})
	}
}

// TestBrokenConnections reads a blob after the open connections broke, and while each new
// connection breaks after some bytes.
func TestBrokenConnections(t *testing.T) {
	proxy := testenv.NewS3Proxy(t, testenv.S3(t))
	s, err := openAt(t, proxy.Location, nil)
	if err != nil {
		t.Fatal(err)
	}
	content := strings.Repeat("0123456789abcdef", 1<<20/16)
	info, err := put(t, s, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	proxy.SetDown(true) // the open connections
	proxy.SetDown(false)
	proxy.CutResponses(300_000)
	wantContent(t, s, info.Key, content)
}

// TestOutage checks that no blob is lost while the store is unreachable, and that the blobs that could
// not be removed meanwhile, also an incomplete one, are removed after the outage.
func TestOutage(t *testing.T) {
	proxy := testenv.NewS3Proxy(t, testenv.S3(t))
	s, err := openAt(t, proxy.Location, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, deleted := mustPut(t, s, "kept"), mustPut(t, s, "deleted")
	reader, err := s.Open(t.Context(), kept)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	large, err := s.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := large.Write(make([]byte, partSize+1)); err != nil { // one part has arrived
		t.Fatal(err)
	}

	proxy.SetDown(true)
	_, err = put(t, s, strings.NewReader("new"))
	wantError(t, err, ErrUnavailable)
	_, err = large.Commit()
	wantError(t, err, ErrUnavailable)
	_, err = s.Open(t.Context(), kept)
	wantError(t, err, ErrUnavailable)
	_, err = io.ReadAll(reader)
	wantError(t, err, ErrUnavailable)
	wantError(t, s.Delete(t.Context(), deleted), ErrUnavailable)
	_, err = s.Sweep(t.Context(), time.Now(), func(string) bool { return true }, func(string, string) ([]string, error) { return nil, nil })
	wantError(t, err, ErrUnavailable)

	proxy.SetDown(false)
	wantContent(t, s, kept, "kept")
	if err := s.Delete(t.Context()); err != nil {
		t.Error(err)
	}
	wantNames(t, "the store", names(t, s), kept)
}

func TestBlobReplacedWhileRead(t *testing.T) {
	place := testBucket(t)
	s := place.open(t, "a")
	key := mustPut(t, s, "hello")
	r, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	place.overwrite(t, key, "other")
	_, err = io.ReadAll(r)
	wantError(t, err, ErrDamaged)
}

func TestCancelledRead(t *testing.T) {
	s := testBucket(t).open(t, "a")
	key := mustPut(t, s, "hello")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := s.Open(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cancel()
	_, err = io.ReadAll(r)
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
}

// TestFalseSuccess simulates a store that reports a multipart upload as complete but never creates
// the object, as can happen if the store is killed. The upload must fail.
func TestFalseSuccess(t *testing.T) {
	location := testenv.S3(t)
	target, err := url.Parse(location.Query().Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // which is signed
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") {
			_, _ = io.WriteString(w, `<CompleteMultipartUploadResult><ETag>"x-2"</ETag></CompleteMultipartUploadResult>`)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	defer server.Close()
	s, err := openAt(t, testenv.ReplaceEndpoint(location, server.URL), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = put(t, s, strings.NewReader(strings.Repeat("x", partSize+1)))
	wantError(t, err, ErrUnavailable)
	wantNames(t, "the store", names(t, s))
}

// TestMissingETag reads an object from a store that first returns no ETag for it, as a store may while
// it deletes the object.
func TestMissingETag(t *testing.T) {
	location := testenv.S3(t)
	target, err := url.Parse(location.Query().Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	var missing atomic.Int64 // the number of responses that lack the ETag
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // which is signed
		},
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method == http.MethodHead && missing.Add(-1) >= 0 {
				r.Header.Del("ETag")
			}
			return nil
		},
	})
	defer server.Close()
	s, err := openAt(t, testenv.ReplaceEndpoint(location, server.URL), nil)
	if err != nil {
		t.Fatal(err)
	}
	info, err := put(t, s, strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	missing.Store(2)
	r, err := s.Open(t.Context(), info.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if got, err := io.ReadAll(r); err != nil || string(got) != "text" {
		t.Errorf("read %q, %v", got, err)
	}
	missing.Store(100)
	if _, err := s.Open(t.Context(), info.Key); err == nil || !strings.Contains(err.Error(), "no ETag") {
		t.Errorf("the error is %v", err)
	}
}

// TestFrozenStore checks the error if a store accepts connections but does not answer.
func TestFrozenStore(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts connections
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	host := listener.Addr().String()
	variables := map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = Open(ctx, "s3://bucket/prefix?endpoint=http://"+host, Options{Process: "p", TempDir: t.TempDir(), Getenv: func(name string) string { return variables[name] }})
	wantError(t, err, ErrUnavailable)
	if err == nil || !strings.HasSuffix(err.Error(), "the store at "+host+" does not answer") || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}

// TestStoreThatHangs uses a store that stops answering after it was opened. A request must fail
// after one timeout, although the S3 client repeats requests after other failures.
func TestStoreThatHangs(t *testing.T) {
	t.Parallel()
	var hangs atomic.Bool
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hangs.Load() {
			http.NotFound(w, r)
			return
		}
		requests.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // or the end of the connection would not be noticed
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	variables := map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}
	s, err := Open(t.Context(), "s3://bucket/prefix?endpoint="+server.URL, Options{
		Process: "p", TempDir: t.TempDir(), Getenv: func(name string) string { return variables[name] }, responseTimeout: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	hangs.Store(true)
	for name, request := range map[string]func() error{
		"read":   func() error { _, err := s.Open(t.Context(), s.newKey()); return err },
		"write":  func() error { return s.backend.(*bucketStore).setOrphan(t.Context(), s.newKey(), time.Time{}) },
		"delete": func() error { return s.remove(t.Context(), s.newKey()) },
	} {
		requests.Store(0)
		err := request()
		wantError(t, err, ErrUnavailable)
		if err == nil || !strings.HasSuffix(err.Error(), "does not answer") || requests.Load() != 1 {
			t.Errorf("%s: %d requests, %v", name, requests.Load(), err)
		}
	}
}
