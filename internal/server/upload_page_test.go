package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"foretell/internal/server"
)

// TestUploadOfNoTable uploads files that are no CSV, without JavaScript. The form must say what is
// wrong and what to do, and nothing may be created.
func TestUploadOfNoTable(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	for content, want := range map[string]string{
		"":                             "The file is empty: a CSV has a header and a row for each example",
		"x":                            "The file has only 1 byte, so it is no table: a CSV has a header",
		"rose\n\n":                     "The file has only 6 bytes, so it is no table: a CSV has a header",
		"\x89PNG\r\n":                  "This is a PNG picture.",
		"\x1f\x8b\x08\x00\x00\x00\x00": "This is a gzip file: unpack it, or use the foretell client, which unpacks it.",
		"PK\x03\x04" + strings.Repeat("\x00\x01", 500): "This is a ZIP file or an Excel workbook: save the table as CSV.",
	} {
		body, kind := form(t, "name", "flowers", "description", "", "file", content)
		resp, page := b.send(t, http.MethodPost, "/datasets", body, kind)
		if resp.StatusCode != 422 || !strings.Contains(page, `id="file-error">`+want) || !strings.Contains(page, "<code>foretell datasets create</code> converts workbooks, compressed files") {
			t.Errorf("%.10q: %d, without %q:\n%s", content, resp.StatusCode, want, page)
		}
	}
	b.expect(t, "/datasets", nil, 200, "There are no datasets yet.")
}

// TestEndOfUpload asks how uploads have ended, as a page does whose upload was cancelled. Only the
// account that sent a file may ask.
func TestEndOfUpload(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	s.administrator(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	for name, csv := range map[string]string{"arrived": trainingCSV(), "rejected": "a"} {
		b.upload = name
		body, kind := form(t, "name", name, "description", "", "file", csv)
		resp, _ := b.send(t, http.MethodPost, "/datasets", body, kind)
		want := "The upload was cancelled."
		if name == "arrived" {
			want = `the dataset exists. You can delete it on <a href="` + resp.Request.URL.Path + `">`
		}
		b.expect(t, "/uploads/"+name+"?part=end", nil, 200, want)
	}
	b.expect(t, "/uploads/unknown?part=end", nil, 404, "unknown")
	other := newBrowser(t, s.url)
	other.expect(t, "/sign-in", url.Values{"username": {"root@example.com"}, "password": {"a long password"}}, 200, "<title>Home")
	other.expect(t, "/uploads/arrived?part=end", nil, 404, "unknown")
	newBrowser(t, s.url).expect(t, "/uploads/arrived?part=end", nil, 401, "session has ended")
}
