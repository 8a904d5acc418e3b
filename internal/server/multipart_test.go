package server

import (
	"bytes"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTransferEncoding checks that a file is stored as it was sent.
func TestTransferEncoding(t *testing.T) {
	t.Parallel()
	const body = "--b\r\nContent-Disposition: form-data; name=\"file\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nI=44,a\n\r\n--b--"
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	file, err := newFormFile(r, &requestBody{ReadCloser: r.Body}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(file); err != nil || string(got) != "I=44,a\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestEscapedFileName checks that a file name with a quote, which browsers and the command line escape,
// is known as the user sees it.
func TestEscapedFileName(t *testing.T) {
	t.Parallel()
	const body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"bl%22ind 5%.csv\"\r\n\r\nid\r\n--b--"
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	file, err := newFormFile(r, &requestBody{ReadCloser: r.Body}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	noted := ""
	file.onFile = func(name string) { noted = name }
	if _, err := io.ReadAll(file); err != nil || file.FileName() != `bl"ind 5%.csv` || noted != file.FileName() {
		t.Errorf("the file is called %q and %q, %v", file.FileName(), noted, err)
	}
}

// FuzzFormFile checks that reading a form returns its complete file or an error, that it never
// panics, and that a form without its end is rejected.
func FuzzFormFile(f *testing.F) {
	for _, seed := range []string{
		"--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nid,a\n1,2\r\n--b--\r\n",
		"--b\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nid\r\n--b--",
		"--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nid,a\n1,2\r\n--b\r\n",
		"--b--", "", "--b\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		file, err := newFormFile(r, &requestBody{ReadCloser: r.Body}, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(file)
		if err == nil && (!strings.Contains(string(body), "--b--") || !bytes.Contains(body, got)) {
			t.Errorf("%q returned %q", body, got)
		}
		if n, again := file.Read(make([]byte, 1)); n != 0 || again == nil {
			t.Errorf("%d bytes after the end, %v", n, again)
		}
	})
}
