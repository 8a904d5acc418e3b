package blob

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// request sends a request without a token, as a client does to a signed URL.
func request(t *testing.T, method, url, contentType, body string) (status int, content string, header http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

func openDirect(t *testing.T) (*Store, *DirectAccess) {
	t.Helper()
	s := testBucket(t).open(t, "a")
	direct, ok := s.DirectAccess()
	if !ok {
		t.Fatal("a bucket has no direct access")
	}
	return s, direct
}

func TestDirectUpload(t *testing.T) {
	s, direct := openDirect(t)
	url, err := direct.UploadURL(t.Context(), "account/dataset", "text/csv", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, refused := range []struct{ name, method, url, contentType string }{
		{"another content type", http.MethodPut, url, "text/html"},
		{"another method", http.MethodGet, url, "text/csv"},
		{"another object", http.MethodPut, strings.Replace(url, "/dataset?", "/other?", 1), "text/csv"},
		{"a longer lifetime", http.MethodPut, strings.Replace(url, "X-Amz-Expires=3600", "X-Amz-Expires=7200", 1), "text/csv"},
	} {
		if status, text, _ := request(t, refused.method, refused.url, refused.contentType, "stolen"); status != http.StatusForbidden {
			t.Errorf("%s: status %d, %s", refused.name, status, text)
		}
	}
	if uploads, err := direct.Uploads(t.Context()); len(uploads) > 0 || err != nil {
		t.Errorf("uploads %v, %v", uploads, err)
	}
	if status, text, _ := request(t, http.MethodPut, url, "text/csv", "hello"); status != http.StatusOK {
		t.Fatalf("status %d, %s", status, text)
	}
	uploads, err := direct.Uploads(t.Context())
	if err != nil || len(uploads) != 1 || uploads[0].Name != "account/dataset" || uploads[0].Size != 5 {
		t.Fatalf("uploads %+v, %v", uploads, err)
	}
	wantNames(t, "the blobs", names(t, s))

	info, err := direct.CopyToBlob(t.Context(), uploads[0])
	if err != nil || info.Size != 5 || !strings.HasPrefix(info.SHA256, "2cf24dba5fb0a30e") {
		t.Fatalf("%+v, %v", info, err)
	}
	if status, _, _ := request(t, http.MethodPut, url, "text/csv", "other"); status != http.StatusOK {
		t.Errorf("status %d for a second upload", status)
	}
	wantContent(t, s, info.Key, "hello")
	_, err = direct.CopyToBlob(t.Context(), uploads[0])
	wantError(t, err, ErrNotFound)
	if err := direct.Delete(t.Context(), uploads[0].Name); err != nil {
		t.Error(err)
	}
	_, err = direct.CopyToBlob(t.Context(), uploads[0])
	wantError(t, err, ErrNotFound)
	wantNames(t, "the blobs", names(t, s), info.Key)
}

func TestDirectDownload(t *testing.T) {
	s, direct := openDirect(t)
	key, other := mustPut(t, s, "hello"), mustPut(t, s, "other")
	url, err := direct.DownloadURL(t.Context(), key, "result.csv", "text/csv; charset=utf-8", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	status, text, header := request(t, http.MethodGet, url, "", "")
	if status != http.StatusOK || text != "hello" || header.Get("Content-Type") != "text/csv; charset=utf-8" || header.Get("Content-Disposition") != "attachment; filename=result.csv" {
		t.Errorf("status %d, %q, %v", status, text, header)
	}
	if status, text, _ := request(t, http.MethodGet, strings.Replace(url, key, other, 1), "", ""); status != http.StatusForbidden {
		t.Errorf("status %d, %q for another blob", status, text)
	}
	_, err = direct.DownloadURL(t.Context(), "../"+key, "x", "x", time.Hour)
	wantError(t, err, ErrInvalidKey)
}

func TestFolderHasNoDirectAccess(t *testing.T) {
	s, err := OpenFolder(t.TempDir(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.DirectAccess(); ok {
		t.Error("a folder has direct access")
	}
}
