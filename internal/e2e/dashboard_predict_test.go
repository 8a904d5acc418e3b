//go:build unix

package e2e_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
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
		"as_trained":  {"width,id,height\n2,x,1\n2,y,96\n", "id,width,height,prediction,probability"},
		"other_first": {"code,height,width\nx,1,2\ny,96,2\n", "code,height,width,prediction,probability"},
	} {
		key := sendBlind(t, visitor, base+"/models/"+model+"/predict", c.blind)
		foretell("predictions", "wait", key)
		result := foretell("predictions", "download", key, "--output", "-")
		if header, rows, _ := strings.Cut(result, "\n"); !strings.HasPrefix(header, c.want) || !strings.Contains(rows, "rose") || !strings.Contains(rows, "tulip") {
			t.Errorf("%s: the result is %s", name, result)
		}
	}
}

// sendBlind sends the form with a blind file and returns the key of its prediction.
func sendBlind(t *testing.T, visitor *http.Client, address, blind string) string {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", "blind.csv")
	if err == nil {
		_, err = file.Write([]byte(blind))
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, &body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := visitor.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	key, isPrediction := strings.CutPrefix(response.Request.URL.Path, "/predictions/")
	if !isPrediction {
		t.Fatalf("sending %s: %s at %s", blind, response.Status, response.Request.URL)
	}
	return key
}
