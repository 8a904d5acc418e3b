//go:build unix

package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPredictionWithoutIDs trains a model on a table without row IDs, and uploads a blind file without
// row IDs on the page of the model. The dashboard must number the rows, like the command that the
// page shows.
func TestPredictionWithoutIDs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("trains a model, and nothing is concurrent")
	}
	dir, files := t.TempDir(), t.TempDir()
	_, base := serveAt(t, "127.0.0.1:0", dir)
	foretell := foretellWith(t, append(os.Environ(), accountOn(t, base, "--data-dir", dir)...))
	var train strings.Builder
	train.WriteString("height,width,kind\n")
	for i := range 300 {
		fmt.Fprintf(&train, "%d,%d,%s\n", i%97, i*i%89, []string{"rose", "tulip"}[i%97/50])
	}
	for name, text := range map[string]string{"train.csv": train.String(), "blind.csv": "height,width\n1,2\n96,2\n"} {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	foretell("datasets", "create", "flowers", filepath.Join(files, "train.csv"))
	foretell("training", "create", "@last", "--algorithm", "BSIX01", "--time-limit", "10m")
	model := foretell("models", "list", "--quiet", "--limit", "1")
	foretell("predict", filepath.Join(files, "blind.csv"), "--with", model, "--output", filepath.Join(files, "result.csv"))

	visitor := signInToPages(t, base)
	for name, c := range map[string]struct{ blind, want string }{
		"no_ids":      {"height;width\n1;2\n96;2\n", "id,height,width,prediction,probability"},
		"ids_at_end":  {"height,width,customer_id\n1,2,x\n96,2,y\n", "customer_id,height,width,prediction,probability"},
		"other_case":  {"WIDTH,Height\n2,1\n2,96\n", "id,width,height,prediction,probability"},
		"as_trained":  {"width,id,height\n2,x,1\n2,y,96\n", "id,width,height,prediction,probability"},
		"other_first": {"code,height,width\nx,1,2\ny,96,2\n", "code,height,width,prediction,probability"},
	} {
		key := sendBlind(t, visitor, base+"/models/"+model+"/predict", c.blind)
		foretell("predictions", "wait", key)
		result := foretell("predictions", "download", key, "--output", "-")
		if header, rows, _ := strings.Cut(result, "\n"); !strings.HasPrefix(header, c.want) || !strings.Contains(rows, "rose") || !strings.Contains(rows, "tulip") {
			t.Errorf("%s: the result is %s", name, result)
		}
		if name == "no_ids" {
			checkPagesOfPrediction(t, visitor, base, key)
			checkVerifyPage(t, visitor, base, key)
			checkLostResult(t, visitor, base, dir, key)
		}
	}
	if status, page := getPage(t, visitor, base+"/models/00000000-0000-4000-8000-000000000000/file"); status != http.StatusNotFound || !strings.Contains(page, "<h1>Not Found</h1>") {
		t.Errorf("the file of an unknown model: %d %s", status, page)
	}
	commas := "height,width\n" + strings.Repeat("\"1,5\",2\n\"3,5\",2\n", 50)
	key := sendBlind(t, visitor, base+"/models/"+model+"/predict", commas)
	foretell("predictions", "wait", key)
	foretell("api", "GET", "/api/v1/predictions/"+key+"/drift") // waits for the comparison
	if _, page := getPage(t, visitor, base+"/predictions/"+key); !strings.Contains(page, "so the predictions may be less accurate") || !strings.Contains(page, "The column &#34;height&#34;: numbers in 100 rows") {
		t.Errorf("no warning of decimal commas: %s", page)
	}
}

// checkPagesOfPrediction checks that the page of a prediction, whose file was converted, shows a command
// with the name of the visitor's file.
func checkPagesOfPrediction(t *testing.T, visitor *http.Client, base, key string) {
	t.Helper()
	_, page := getPage(t, visitor, base+"/predictions/"+key)
	for strings.Contains(page, `data-hx-trigger="every`) {
		_, page = getPage(t, visitor, base+"/predictions/"+key)
	}
	if !strings.Contains(page, "--blind blind.csv --html") || !strings.Contains(page, "First rows") || strings.Contains(page, "(converted)") {
		t.Error(page)
	}
	model := regexp.MustCompile(`/models/[\w-]+`).FindString(page)
	if own, other := downloadName(t, visitor, base+model+"/report.html"), downloadName(t, visitor, base+"/predictions/"+key+"/report.html"); own == "" || other != strings.TrimSuffix(own, ".html")+"-"+key[:8]+".html" {
		t.Errorf("the reports of the model and of the prediction are stored as %s and %s", own, other)
	}
	if status, text := getPage(t, visitor, base+"/predictions/"+key+"/result"); status != http.StatusOK || !strings.HasPrefix(text, "id,height,width,prediction") {
		t.Errorf("the download: %d %s", status, text)
	}
}

// checkVerifyPage verifies a result with its receipt, with a changed receipt, and with the two files
// exchanged.
func checkVerifyPage(t *testing.T, visitor *http.Client, base, key string) {
	t.Helper()
	_, result := getPage(t, visitor, base+"/predictions/"+key+"/result")
	_, receipt := getPage(t, visitor, base+"/predictions/"+key+"/receipt")
	for _, c := range []struct{ receipt, result, want string }{
		{receipt, result, "The service has the same result, and the same model, algorithm, seed, race and scores for it."},
		{strings.Replace(receipt, `"algorithm": "BSIX01"`, `"algorithm": "BFIF01"`, 1), result, "but not the same algorithm as the receipt: the receipt was changed"},
		{strings.Replace(receipt, `"predictionKey": "`, `"unknown": "`, 1), result, "which was not checked and may have been changed"},
		{result, receipt, "exchange the two files"},
		{"[]", result, "is not a receipt: choose the file whose name ends with .receipt.json"},
	} {
		body, kind := multipartForm(t, [2]string{"receipt", c.receipt}, [2]string{"file", c.result})
		response := sendForm(t, visitor, base+"/verify", body, kind)
		page, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !strings.Contains(string(page), c.want) {
			t.Errorf("verifying does not show %q: %v %s", c.want, err, page)
		}
	}
}

// checkLostResult deletes the stored result of a prediction. The pages must say so, with the ID of the
// request.
func checkLostResult(t *testing.T, visitor *http.Client, base, dir, key string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.HasPrefix(text, []byte("id,height,width,prediction,")) {
			err = os.Remove(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	request := regexp.MustCompile(`(?i)request [\w-]{8,}`)
	for path, want := range map[string]string{"": "The first rows of the result cannot be read", "/result": "<h1>", "/receipt": "<h1>"} {
		status, page := getPage(t, visitor, base+"/predictions/"+key+path)
		if (status != http.StatusOK) != (path != "") || !strings.Contains(page, want) || !request.MatchString(page) {
			t.Errorf("%s without a stored result: %d %s", path, status, page)
		}
	}
}

// get requests an address. The caller must close the body of the response.
func get(t *testing.T, visitor *http.Client, address string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := visitor.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// getPage returns the status and the body of a page.
func getPage(t *testing.T, visitor *http.Client, address string) (status int, body string) {
	t.Helper()
	response := get(t, visitor, address)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// downloadName returns the name that the response suggests for the file of a download.
func downloadName(t *testing.T, visitor *http.Client, address string) string {
	t.Helper()
	response := get(t, visitor, address)
	_ = response.Body.Close()
	_, parameters, err := mime.ParseMediaType(response.Header.Get("Content-Disposition"))
	if err != nil {
		t.Fatal(err)
	}
	return parameters["filename"]
}

// sendBlind sends the form with a blind file and returns the key of its prediction.
func sendBlind(t *testing.T, visitor *http.Client, address, blind string) string {
	t.Helper()
	body, kind := multipartForm(t, [2]string{"file", blind})
	response := sendForm(t, visitor, address, body, kind)
	defer response.Body.Close()
	key, isPrediction := strings.CutPrefix(response.Request.URL.Path, "/predictions/")
	if !isPrediction {
		t.Fatalf("sending %s: %s at %s", blind, response.Status, response.Request.URL)
	}
	return key
}

// multipartForm returns a form with these fields. The field file is the file blind.csv.
func multipartForm(t *testing.T, fields ...[2]string) (body *bytes.Buffer, kind string) {
	t.Helper()
	body = &bytes.Buffer{}
	form := multipart.NewWriter(body)
	for _, field := range fields {
		create := form.CreateFormField
		if field[0] == "file" {
			create = func(name string) (io.Writer, error) { return form.CreateFormFile(name, "blind.csv") }
		}
		part, err := create(field[0])
		if err == nil {
			_, err = io.WriteString(part, field[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return body, form.FormDataContentType()
}

// sendForm sends a form as a browser does.
func sendForm(t *testing.T, visitor *http.Client, address string, body io.Reader, kind string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := visitor.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}
