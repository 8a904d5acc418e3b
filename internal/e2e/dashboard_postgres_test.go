//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/testenv"
)

// TestPagesOnPostgres loads the pages of the dashboard from a service on PostgreSQL, and sends the
// form for a prediction. What a browser does with the pages does not depend on the database.
func TestPagesOnPostgres(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("trains a model, and nothing is concurrent")
	}
	dir := t.TempDir()
	flags := []string{"--database", testenv.Postgres(t), "--data-dir", dir}
	_, base := serveAt(t, "127.0.0.1:0", dir, flags[:2]...)
	foretell := foretellWith(t, append(os.Environ(), accountOn(t, base, flags...)...))
	foretell(append([]string{"users", "role", "a@example.com", api.RoleAdministrator}, flags...)...)
	blind := firstRows(t, "../../testdata/credit-g/blind.csv", 5)
	train := firstRows(t, "../../testdata/credit-g/train.csv", 100)
	foretell("run", train, "--blind", blind, "--algorithm", "BSIX01", "-o", filepath.Join(dir, "out.csv"), "-q")
	newest := func(list ...string) string { return foretell(append(list, "--quiet", "--limit", "1")...) }
	model := newest("models", "list")
	foretell("run", train, "--algorithm", "BSIX01", "--seed", "2", "-q")
	other := newest("models", "list")

	visitor := signInToPages(t, base)
	text, err := os.ReadFile(blind)
	if err != nil {
		t.Fatal(err)
	}
	prediction := sendBlind(t, visitor, base+"/models/"+model+"/predict", string(text))
	foretell("predictions", "wait", prediction)
	dataset := newest("datasets", "list")
	for _, path := range []string{
		"/", "/datasets", "/datasets?state=COMPLETED", "/datasets/" + dataset, "/datasets/" + dataset + "/train", "/training", "/training/" + newest("training", "list"),
		"/models", "/models/series?name=train", "/models/" + model, "/models/" + model + "/report.html", "/models/compare?a=" + model + "&b=" + other,
		"/predictions", "/predictions/" + prediction, "/verify", "/account", "/admin", "/admin/accounts", "/admin/jobs", "/admin/events?actor=a@example.com&action=login",
	} {
		if page := readPage(t, visitor, base+path); !strings.Contains(page, "</html>") {
			t.Errorf("%s is %s", path, page)
		}
	}
}
