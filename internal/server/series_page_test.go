package server_test

import (
	"net/http"
	"strings"
	"testing"

	"foretell/internal/server"
)

// TestUploadToSeries adds a table to a series with the form of the datasets. The columns of the file have line
// breaks in their names, which browsers send as CR and LF.
func TestUploadToSeries(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	header, rows, _ := strings.Cut(trainingCSV(), "\n")
	csv := `"row` + "\n" + `key"` + header[strings.Index(header, ","):strings.LastIndex(header, ",")] + `,"kind` + "\n" + `of plant"` + "\n" + rows
	upload := func(series string) (*http.Response, string) {
		body, kind := form(t, "name", "flowers 2", "series", series, "label", "kind\r\nof plant", "id", "row\r\nkey", "file", csv)
		return b.send(t, http.MethodPost, "/datasets", body, kind)
	}
	if resp, page := upload("x"); resp.StatusCode != 422 || !strings.Contains(page, `<a href="#series">Series</a>: must have at least 3 characters`) || !strings.Contains(page, `name="series" minlength="3" maxlength="30" value="x"`) {
		t.Errorf("a short series: %d %s", resp.StatusCode, page)
	}
	resp, page := upload("flowers")
	path := resp.Request.URL.Path
	if !strings.HasPrefix(path, "/datasets/") {
		t.Fatalf("%d %s", resp.StatusCode, page)
	}
	if state := s.as(t, testUser, testPassword).poll(t, "/api/v1"+path); state != "COMPLETED" {
		t.Fatalf("the dataset is %s", state)
	}
	page = b.expect(t, path, nil, 200, "<dt>Series</dt><dd><bdi>flowers</bdi></dd>")
	if !strings.Contains(page, "in <bdi>kind\nof plant</bdi>") {
		t.Errorf("the label is another column: %s", page)
	}
}
