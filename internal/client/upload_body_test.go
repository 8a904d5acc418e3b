package client

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

func source(content string, size int64) Source {
	return Source{Name: `a "b".csv`, Size: size, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

func TestUploadBody(t *testing.T) {
	t.Parallel()
	const content = "id,a\n1,2\n"
	for name, c := range map[string]struct {
		form multipartForm
		size int64
	}{
		"raw":                  {multipartForm{}, int64(len(content))},
		"raw_of_unknown_size":  {multipartForm{}, -1},
		"form":                 {newForm(`a "b".csv`), int64(len(content))},
		"form_of_unknown_size": {newForm(""), -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var progress []int64
			req := &request{header: http.Header{}}
			req.setFileBody(c.form, source(content, c.size), func(sent int64) { progress = append(progress, sent) })
			for attempt := range 2 { // the second is a retry
				progress = nil
				body, err := req.open()
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(iotest.OneByteReader(body))
				if err != nil || body.Close() != nil {
					t.Fatalf("attempt %d: %v", attempt, err)
				}
				if req.size != -1 && req.size != int64(len(got)) || (req.size == -1) != (c.size == -1) {
					t.Errorf("size %d of %d bytes", req.size, len(got))
				}
				if len(progress) != len(content) || progress[0] != 1 || progress[len(progress)-1] != int64(len(content)) {
					t.Errorf("progress %v", progress)
				}
				if file := fileOf(t, c.form, string(got)); file != content {
					t.Errorf("sent %q", file)
				}
			}
		})
	}
}

// fileOf returns the contents of the file in a body with the form f.
func fileOf(t *testing.T, f multipartForm, body string) string {
	t.Helper()
	if f.contentType == "" {
		return body
	}
	_, params, err := mime.ParseMediaType(f.contentType)
	if err != nil {
		t.Fatal(err)
	}
	part, err := multipart.NewReader(strings.NewReader(body), params["boundary"]).NextPart()
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(part)
	if err != nil || part.FormName() != "file" || part.FileName() == "" {
		t.Errorf("part %q, file %q, %v", part.FormName(), part.FileName(), err)
	}
	return string(file)
}

func TestUploadBodyErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk error")
	failing := Source{Size: -1, Open: func() (io.ReadCloser, error) { return io.NopCloser(iotest.ErrReader(broken)), nil }}
	for name, src := range map[string]Source{
		"shorter_than_announced": source("id,a\n", 6),
		"longer_than_announced":  source("id,a\n", 4),
		"unreadable":             failing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := &request{header: http.Header{}}
			req.setFileBody(newForm(""), src, nil)
			body, err := req.open()
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.ReadAll(body)
			var failed *sourceError
			if !errors.As(err, &failed) {
				t.Errorf("got %v, want a sourceError", err)
			}
		})
	}
}
