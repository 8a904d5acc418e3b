//go:build unix

package e2e_test

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"foretell/internal/api"
	"foretell/internal/testenv"
)

// startOnS3 starts a service whose files are in an S3 store behind a proxy, creates an account
// and returns the environment variables for it.
func startOnS3(t *testing.T, flags ...string) (proxy *testenv.S3Proxy, address string, env []string) {
	t.Helper()
	proxy = testenv.NewS3Proxy(t, testenv.S3(t))
	dir, storage := t.TempDir(), proxy.Location.String()
	_, address = serveAt(t, "127.0.0.1:0", dir, append(flags, "--storage", storage)...)
	add := exec.Command("foretell", "users", "add", "a@example.com", "--password-stdin", "--data-dir", dir, "--storage", storage)
	add.Stdin = strings.NewReader("a long password\n")
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("users add: %v: %s", err, out)
	}
	return proxy, address, []string{
		"FORETELL_SERVER=" + address, "FORETELL_USERNAME=a@example.com", "FORETELL_PASSWORD=a long password", "HOME=" + t.TempDir(), "FORETELL_DATA_DIR=" + dir,
	}
}

// TestStorageOutage interrupts the connection to the S3 store during a race. The model of the
// race must be stored when the store responds again.
func TestStorageOutage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	proxy, address, env := startOnS3(t)
	result := filepath.Join(t.TempDir(), "result.csv")
	run := exec.Command("foretell", "run", firstRows(t, "../../testdata/credit-g/train.csv", 150), "--blind", "../../testdata/credit-g/blind.csv",
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

// TestStorageDoctor checks that doctor --files reads the files of an S3 store.
func TestStorageDoctor(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a service")
	}
	proxy, address, env := startOnS3(t)
	create := exec.Command("foretell", "datasets", "create", "stored", "-", "-q")
	create.Env, create.Stdin = env, strings.NewReader("id,size,kind\n1,1,a\n2,2,b\n")
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("datasets create on %s: %v: %s", address, err, out)
	}
	for where, want := range map[string]string{
		"":                                "files\tok\t1 file, 25 B, contents match\n",
		filepath.Join(t.TempDir(), "new"): "files\tfail\t", // its database does not belong to the files
	} {
		doctor := exec.Command("foretell", "doctor", "--files", "--fields", "check,verdict,message")
		doctor.Env = append(os.Environ(), append(env, "FORETELL_STORAGE="+proxy.Location.String())...)
		if where != "" {
			doctor.Env = append(doctor.Env, "FORETELL_DATA_DIR="+where)
		}
		if out, err := doctor.CombinedOutput(); !strings.Contains(string(out), want) {
			t.Errorf("doctor --files of %q: %v: %s, want %q", where, err, out, want)
		}
	}
}

// checkUnavailable uploads a file. The service must refuse it with an error that says when to
// try again.
func checkUnavailable(t *testing.T, address string) {
	t.Helper()
	created, token := createDataset(t, address)
	resp := sendCSV(t, created.DatasetUploadInfo.UploadURL, token, "id,size,kind\n1,1,a\n2,2,b\n")
	var problem api.Problem
	if err := json.Unmarshal(resp.body, &problem); err != nil {
		t.Fatal(err)
	}
	if resp.status != http.StatusServiceUnavailable || resp.retryAfter == "" || problem.Code != api.CodeNotReady {
		t.Errorf("status %d with Retry-After %q: %+v", resp.status, resp.retryAfter, problem)
	}
}

// createDataset creates a dataset without data. It returns the dataset and a token of its
// account.
func createDataset(t *testing.T, address string) (created api.CreatedDataset, token string) {
	t.Helper()
	token, err := signIn(address, "a@example.com")
	if err != nil {
		t.Fatal(err)
	}
	resp := sendBody(t, http.MethodPost, address+api.CreateDataset.Path, token, "application/json", `{"datasetName": "another"}`)
	if err := json.Unmarshal(resp.body, &created); err != nil {
		t.Fatal(err)
	}
	return created, token
}

// response is the part of an HTTP response that the tests check.
type response struct {
	status     int
	retryAfter string
	body       []byte
}

// sendCSV uploads a CSV to an upload URL. If token is "", it sends no token.
func sendCSV(t *testing.T, uploadURL, token, text string) response {
	t.Helper()
	return sendBody(t, http.MethodPut, uploadURL, token, "text/csv", text)
}

func sendBody(t *testing.T, method, address, token, media, body string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Content-Type", media)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	received, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return response{status: resp.StatusCode, retryAfter: resp.Header.Get("Retry-After"), body: received}
}

// TestDirectTransfers uploads a file to the S3 store and downloads a result from it. The store
// refuses a request that has a token in addition to its signature, so the command must not
// send the token.
func TestDirectTransfers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	proxy, address, env := startOnS3(t, "--uploads", "direct")
	created, _ := createDataset(t, address)
	upload := created.DatasetUploadInfo
	store := proxy.Location.Query().Get("endpoint")
	if !strings.HasPrefix(upload.UploadURL, store) || !strings.Contains(upload.ExtraHeaders, "Content-Type:text/csv\n") {
		t.Fatalf("upload to %+v, not to %s", upload, store)
	}
	foretell := func(args ...string) string {
		t.Helper()
		command := exec.Command("foretell", args...)
		command.Env = env
		out, err := command.Output()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			t.Fatalf("%v: %v: %s", args, err, failed.Stderr)
		}
		return strings.TrimSpace(string(out))
	}
	for _, body := range []string{"small", "id,size,kind\n1,1,a\n2,2,b\n3,1,a\n4,2,b\n"} { // the first is too small and leaves the dataset PENDING
		if resp := sendCSV(t, upload.UploadURL, "", body); resp.status != http.StatusOK {
			t.Fatalf("status %d for an upload", resp.status)
		}
	}
	if got := foretell("datasets", "wait", created.DatasetKey, "--fields", "status", "--timeout", "1m"); !strings.Contains(got, api.DatasetCompleted) {
		t.Errorf("the dataset is %s", got)
	}

	big := filepath.Join(t.TempDir(), "big.csv") // too large for AddData
	table, err := os.ReadFile("../../testdata/credit-g/train.csv")
	if err != nil {
		t.Fatal(err)
	}
	text := grown(string(table), api.MaxAddDataBytes/len(table)+1)
	if err := os.WriteFile(big, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := foretell("datasets", "create", "big", big, "--fields", "status,bytes"); !strings.Contains(got, api.DatasetCompleted) || !strings.Contains(got, strconv.Itoa(len(text))) {
		t.Errorf("the dataset is %s, want %d bytes", got, len(text))
	}
	visitor := signInToPages(t, address)
	if page := readPage(t, visitor, address+"/datasets"); !strings.Contains(page, "at most 32 MB") || !strings.Contains(page, "NAME FILE</code> uploads larger files") {
		t.Errorf("the page to upload a file: %s", page)
	}
	form, kind := multipartForm(t, [2]string{"name", "large"}, [2]string{"file", text})
	response := sendForm(t, visitor, address+"/datasets", form, kind)
	page, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || response.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(page), "upload it with `foretell datasets create NAME FILE`") {
		t.Errorf("%v, a large file in a form: %s: %s", err, response.Status, page)
	}
	result := filepath.Join(t.TempDir(), "result.csv")
	foretell("run", firstRows(t, "../../testdata/credit-g/train.csv", 150), "--blind", "../../testdata/credit-g/blind.csv", "-o", result, "--algorithm", "BFIF01")
	if text, err := os.ReadFile(result); err != nil || strings.Count(string(text), "\n") < 2 {
		t.Errorf("%v, result %q", err, text)
	}
}

// TestStartWaitsForStorage starts a service on an S3 store that accepts connections but does not
// answer. The log must say what the service waits for.
func TestStartWaitsForStorage(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts connections
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	env := []string{"HOME=" + t.TempDir(), "AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=secret"}
	storage := "s3://bucket/prefix?endpoint=http://" + listener.Addr().String()
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(), "--storage", storage}
	const line = "it is still opening the database and the storage of files"
	if got := runUntil(t, env, args, line, syscall.SIGTERM); got.code == 0 || !strings.Contains(got.stderr, line) {
		t.Errorf("exit status %d: %s", got.code, got.stderr)
	}
}
