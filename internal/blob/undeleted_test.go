package blob

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestDeleteAgain checks that a file that cannot be removed is removed by the next call of Delete, and
// that the other files are removed at once.
func TestDeleteAgain(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenFolder(dir, "a")
	if err != nil {
		t.Fatal(err)
	}
	key, other := mustPut(t, s, "hello"), mustPut(t, s, "other")
	path := filepath.Join(dir, key)
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil { // a folder that is not empty cannot be removed
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), key, other); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(filepath.Join(dir, other)); !os.IsNotExist(err) {
		t.Errorf("the other file is left (%v)", err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".moved", path); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is left (%v)", err)
	}
}

// TestCopyWithoutResponse copies an upload in an S3 store that copies the object but does not respond.
// No copy must be left, and the failures must be reported to the observer.
func TestCopyWithoutResponse(t *testing.T) {
	var mu sync.Mutex
	copies, copied := map[string]bool{}, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch r.Method {
		case http.MethodPut:
			copies[r.URL.Path] = true
			copied++
			panic(http.ErrAbortHandler)
		case http.MethodDelete:
			delete(copies, r.URL.Path)
			w.WriteHeader(http.StatusNoContent)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "<Error><Code>NoSuchKey</Code></Error>")
		}
	}))
	defer server.Close()
	credentials := map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}
	s, err := Open(t.Context(), "s3://bucket/prefix?endpoint="+server.URL, Options{Process: "a", Getenv: func(name string) string { return credentials[name] }})
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	s.Observe(func() time.Time { return time.Unix(0, 0) }, func(c BackendCall) {
		if c.Err != nil {
			failed = append(failed, c.Operation)
		}
	})
	direct, _ := s.DirectAccess()
	_, err = direct.CopyToBlob(t.Context(), Upload{Name: "account/dataset", Size: 5, etag: "e"})
	wantError(t, err, ErrUnavailable)
	mu.Lock()
	if copied == 0 || len(copies) > 0 {
		t.Errorf("of %d copies, %v are left", copied, copies)
	}
	mu.Unlock()
	server.Close()
	wantError(t, direct.Delete(t.Context(), "account/dataset"), ErrUnavailable)
	if got := strings.Join(failed, ", "); got != "write, delete" {
		t.Errorf("the failed calls are %s", got)
	}
}
