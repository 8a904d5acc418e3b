//go:build unix

package cmd_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/testenv"
)

// startOnS3 starts a service whose files are in an S3 store behind a proxy, and returns
// the environment of an account.
func startOnS3(t *testing.T) (proxy *testenv.S3Proxy, address string, env []string) {
	t.Helper()
	proxy = testenv.NewS3Proxy(t, testenv.S3(t))
	dir, storage := t.TempDir(), proxy.Location.String()
	_, address = serveAt(t, "127.0.0.1:0", dir, "--storage", storage)
	add := exec.Command("foretell", "users", "add", "a@example.com", "--password-stdin", "--data-dir", dir, "--storage", storage)
	add.Stdin = strings.NewReader("a long password\n")
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("users add: %v: %s", err, out)
	}
	return proxy, address, []string{
		"FORETELL_SERVER=" + address, "FORETELL_USERNAME=a@example.com", "FORETELL_PASSWORD=a long password", "HOME=" + t.TempDir(),
	}
}

// TestStorageOutage breaks the connection to the S3 store during a race: its model must be
// stored when the store responds again.
func TestStorageOutage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	proxy, address, env := startOnS3(t)
	result := filepath.Join(t.TempDir(), "result.csv")
	run := exec.Command("foretell", "run", firstRows(t, "../testdata/credit-g/train.csv", 150), "--blind", "../testdata/credit-g/blind.csv",
		"-o", result, "--algorithm", "BSEV01,BFIF01", "--progress", "json")
	run.Env = env
	broken := false
	_, messages, err := follow(t, run, func(line string) {
		if broken || !strings.Contains(line, `"event":"score"`) {
			return
		}
		broken = true
		proxy.SetDown(true)
		checkUnavailable(t, address)
		go func() {
			<-proxy.Refused() // the last connection of the upload
			<-proxy.Refused() // the first connection of the race
			proxy.SetDown(false)
		}()
	})
	if err != nil || !broken {
		t.Fatalf("%v: %s", err, messages)
	}
	if text, err := os.ReadFile(result); err != nil || strings.Count(string(text), "\n") < 2 {
		t.Errorf("%v, result %q", err, text)
	}
}

// checkUnavailable uploads a file, which must be refused with an error that says when to
// try again.
func checkUnavailable(t *testing.T, address string) {
	t.Helper()
	token, err := signIn(address, "a@example.com")
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, url, media, body string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", media)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		return resp
	}
	var created api.CreatedDataset
	resp := send(http.MethodPost, address+api.CreateDataset.Path, "application/json", `{"datasetName": "another"}`)
	if err := json.NewDecoder(resp.Body).Decode(&created); err != nil {
		t.Fatal(err)
	}
	resp = send(http.MethodPut, created.DatasetUploadInfo.UploadURL, "text/csv", "id,size,kind\n1,1,a\n2,2,b\n")
	var problem api.Problem
	if err := json.NewDecoder(resp.Body).Decode(&problem); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || problem.Code != api.CodeNotReady {
		t.Errorf("%s with Retry-After %q: %+v", resp.Status, resp.Header.Get("Retry-After"), problem)
	}
}
