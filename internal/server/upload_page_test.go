package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
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
		"":                                       "The file is empty: a CSV has a header and a row for each example",
		"x":                                      "The file has only 1 byte, so it is no table: a CSV has a header",
		"rose\n\n":                               "The file has only 6 bytes, so it is no table: a CSV has a header",
		"\x89PNG\r\n":                            "This is a PNG picture.",
		"\x1f\x8b\x08\x00\x00\x00\x00":           "This is a gzip file: unpack it, or use the foretell client, which unpacks it.",
		"id,height,kind\n1,2,caf\xe9\n2,3,tea\n": "Line 2: the file is not UTF-8, but perhaps Windows-1252 or Latin-1: save it as UTF-8, or send it with the command",
		"id,height,kind\n1,2,ro\x00se\n2,3,tea\n":      "Line 2: the file has a NUL byte",
		"My flowers,,\nid,height,kind\n1,2,rose\n":     "Only one of 3 columns has a name, so the first line is probably a title",
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

// TestInterruptedForm breaks off an upload. The dataset that the form created must then be deleted,
// so that its name is free again, and the page must say that the upload was cancelled.
func TestInterruptedForm(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	body, kind := form(t, "name", "broken", "file", strings.Repeat(trainingCSV(), 3<<20/len(trainingCSV()))) // more than is read before the dataset is created
	sent, send := io.Pipe()
	ctx, closeBrowser := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/datasets", sent)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Sec-Fetch-Site", b.site)
	req.Header.Set("Foretell-Upload", "broken")
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if resp, err := b.client.Do(req); err == nil {
			_ = resp.Body.Close()
			t.Errorf("the upload was answered: %s", resp.Status)
		}
	}()
	if _, err := io.WriteString(send, body[:len(body)/2]); err != nil {
		t.Fatal(err)
	}
	user := s.as(t, testUser, testPassword)
	user.awaitDatasets(t, 1)
	closeBrowser()
	_ = send.Close() // Do waits for the body
	<-closed
	b.expect(t, "/uploads/broken?part=end", nil, 200, "The upload was cancelled.")
	user.awaitDatasets(t, 0)
}

// awaitDatasets waits until the account has a number of datasets.
func (s *testServer) awaitDatasets(t *testing.T, want int64) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(2 * time.Minute)
	for {
		var list api.DatasetPage
		if s.must(t, call{method: "GET", path: "/api/v1/datasets?offset=0&limit=1"}, &list); list.Total == want {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("there are %d datasets instead of %d", list.Total, want)
		}
	}
}

// TestUploadOfLateInvalidByte uploads a file whose first megabyte is UTF-8. The upload must be rejected,
// and the name must be free again.
func TestUploadOfLateInvalidByte(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	rows := strings.Repeat(strings.SplitAfterN(trainingCSV(), "\n", 2)[1], 3<<20/len(trainingCSV()))
	body, kind := form(t, "name", "latin", "id", "-", "file", strings.SplitAfterN(trainingCSV(), "\n", 2)[0]+rows+"caf\xe9\n")
	resp, page := b.send(t, http.MethodPost, "/datasets", body, kind)
	if resp.StatusCode != 422 || !strings.Contains(page, "the file is not UTF-8") {
		t.Errorf("%d %s", resp.StatusCode, page)
	}
	b.expect(t, "/datasets", nil, 200, "There are no datasets yet.")
}

// TestUploadOfOddHeaders uploads files that the command line reads, too: with a separator line for Excel,
// columns of the same name, and columns without a name.
func TestUploadOfOddHeaders(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	var rows strings.Builder
	for i := range 200 {
		fmt.Fprintf(&rows, "r%d;%d;%d,5;%d;%s\n", i, i%97, i%31, i*i%89, []string{"rose", "tulip"}[i%97/50])
	}
	for name, c := range map[string]struct{ header, want string }{
		"names":       {"sep=;\nid;a;a;;kind\n", ">a_2</bdi>"},
		"nameless-id": {"\"sep=;\"\n;a;b;;kind\n", ">column_4</bdi>"},
	} {
		body, kind := form(t, "name", name, "file", c.header+rows.String())
		resp, page := b.send(t, http.MethodPost, "/datasets", body, kind)
		if resp.StatusCode != 200 || !strings.HasPrefix(resp.Request.URL.Path, "/datasets/") {
			t.Fatalf("%s: %d %s", name, resp.StatusCode, page)
		}
		for strings.Contains(page, `data-hx-trigger="every`) {
			_, page = b.visit(t, resp.Request.URL.Path, nil)
		}
		if !strings.Contains(page, c.want) || !strings.Contains(page, "Start a race") {
			t.Errorf("%s: %s", name, page)
		}
	}
}
