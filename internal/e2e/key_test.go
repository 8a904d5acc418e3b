//go:build unix

package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"foretell/internal/testenv"
)

// TestRotateKey replaces the key of signed URLs while services run. Every service must soon refuse the
// old URLs, and the sessions must go on.
func TestRotateKey(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts three services")
	}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		exerciseKeyRotation(t, 1)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		exerciseKeyRotation(t, 2, "--database", testenv.Postgres(t))
	})
}

func exerciseKeyRotation(t *testing.T, services int, flags ...string) {
	t.Helper()
	flags = append(flags, "--data-dir", t.TempDir())
	var addresses []string
	for range services {
		_, address := serveAt(t, "127.0.0.1:0", flags[len(flags)-1], flags[:len(flags)-2]...)
		addresses = append(addresses, address)
	}
	accountOn(t, addresses[0], flags...)
	token, err := signIn(addresses[0], "a@example.com")
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, address, body string, out any) int {
		req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		if method == http.MethodPut {
			req.Header.Set("Content-Type", "text/csv")
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var text bytes.Buffer
		if _, err := text.ReadFrom(resp.Body); err != nil {
			t.Fatal(err)
		}
		if out != nil {
			if err := json.Unmarshal(text.Bytes(), out); err != nil || resp.StatusCode >= 300 {
				t.Fatalf("%s %s: %s: %s", method, address, resp.Status, &text)
			}
		}
		return resp.StatusCode
	}
	var dataset struct {
		DatasetKey        string
		DatasetUploadInfo struct{ UploadURL string }
	}
	// statuses sends a file that is too small to the URL on every service. A service that
	// accepts the URL refuses the file with 422.
	statuses := func(path string) (all []int) {
		for _, address := range addresses {
			all = append(all, send("PUT", address+path, "short", nil))
		}
		return all
	}
	check := func(what, path string, want int) {
		t.Helper()
		for i, status := range statuses(path) {
			if status != want {
				t.Errorf("%s: service %d responds %d, want %d", what, i, status, want)
			}
		}
	}
	send("POST", addresses[0]+"/api/v1/datasets", `{"datasetName":"flowers"}`, &dataset)
	old := strings.TrimPrefix(dataset.DatasetUploadInfo.UploadURL, addresses[0])
	check("before the replacement", old, http.StatusUnprocessableEntity)

	foretellAs(t, nil, append([]string{"keys", "rotate", "--yes", "-q"}, flags...)...)
	waitUntil(t, "the services to refuse the old URL", func() bool {
		return !slices.ContainsFunc(statuses(old), func(status int) bool { return status != http.StatusForbidden })
	})
	for _, address := range addresses {
		send("GET", address+"/api/v1/datasets/"+dataset.DatasetKey, "", &dataset)
		check("a new URL", strings.TrimPrefix(dataset.DatasetUploadInfo.UploadURL, address), http.StatusUnprocessableEntity)
	}
	log := foretellAs(t, nil, append([]string{"users", "audit", "--no-header", "--action", "key.rotate", "--fields", "actor,object"}, flags...)...)
	if log != "operator\tsigned-urls" {
		t.Errorf("the audit log has %q", log)
	}
}
