//go:build unix

package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"foretell/internal/blob"
	"foretell/internal/store"
	"foretell/internal/testenv"
)

// TestRetention lets predictions, races and datasets expire one after the other. Each time,
// the stored files must be exactly those that the remaining rows reference. The champion of the series
// and its dataset do not expire.
func TestRetention(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	t.Run("SQLite and files", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		exerciseRetention(t, dir, filepath.Join(dir, "foretell.db"), "file://"+filepath.ToSlash(filepath.Join(dir, "blobs")))
	})
	t.Run("PostgreSQL and S3", func(t *testing.T) {
		t.Parallel()
		database, storage := testenv.Postgres(t), testenv.S3(t).String()
		exerciseRetention(t, t.TempDir(), database, storage, "--database", database, "--storage", storage)
	})
}

func exerciseRetention(t *testing.T, dir, database, storage string, flags ...string) {
	t.Helper()
	flags = append(flags, "--data-dir", dir)
	service, address := serveAt(t, "127.0.0.1:0", dir, flags...)
	env := accountOn(t, address, flags...)
	train := firstRows(t, "../../testdata/credit-g/train.csv", 150)
	foretellAs(t, env, "run", train, "--blind", firstRows(t, "../../testdata/credit-g/blind.csv", 20), "-o", filepath.Join(t.TempDir(), "result.csv"),
		"--name", "credit", "--algorithm", "BSIX01", "--threshold", "0.5", "-q")
	foretellAs(t, env, "training", "create", "credit", "--algorithm", "BSIX01", "--threshold", "0.5", "--seed", "2", "-q")
	foretellAs(t, env, "models", "promote", "credit@v1", "-q") // or the newest model would be kept, too
	foretellAs(t, env, "datasets", "create", "unused", train, "-q")
	foretellAs(t, env, "datasets", "create", "gone", train, "-q")
	foretellAs(t, env, "datasets", "delete", "gone", "--yes", "-q")
	auditLog := func() string {
		return foretellAs(t, nil, append([]string{"users", "audit", "--no-header", "--fields", "actor,action"}, flags...)...)
	}
	const keepAuditLog = "--keep-audit-log=1ms"
	for _, step := range []struct {
		flag                        string
		predictions, models, tables int
	}{{"", 1, 2, 2}, {keepAuditLog, 1, 2, 2}, {"--keep-predictions=1ms", 0, 2, 2}, {"--keep-trainings=1ms", 0, 1, 2}, {"--keep-datasets=1ms", 0, 1, 1}} {
		if step.flag != "" {
			_ = service.Process.Signal(os.Interrupt)
			_ = service.Wait()
			service, address = serveAt(t, "127.0.0.1:0", dir, append(flags, step.flag, "--default-quota", "datasets=1")...)
			env[0] = "FORETELL_SERVER=" + address
		}
		want := step.predictions + step.models + step.tables
		waitUntil(t, "the files after "+step.flag, func() bool { return len(filesOf(t, database)) == want })
		waitUntil(t, "the stored files after "+step.flag, func() bool {
			return slices.Equal(filesOf(t, database), storedFiles(t, storage))
		})
		if step.flag == keepAuditLog { // only the log itself shows that entries were deleted
			waitUntil(t, "an expired audit log", func() bool { return strings.Contains(auditLog(), "audit.expire") })
		}
	}
	audit := auditLog()
	for _, event := range []string{"service\tprediction.expire", "service\ttraining.expire", "service\tdataset.expire", "service\taudit.expire"} {
		if strings.Count(audit, event+"\n") != 1 && !strings.HasSuffix(audit, event) {
			t.Errorf("no %q in the audit log:\n%s", event, audit)
		}
	}
	if strings.Contains(audit, "account.create") {
		t.Errorf("an old event is left:\n%s", audit)
	}

	// New accounts have the default quota.
	add := exec.Command("foretell", append([]string{"users", "add", "new@example.com"}, flags...)...)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("users add: %v: %s", err, out)
	}
	quota := foretellAs(t, nil, append([]string{"users", "quota", "new@example.com", "--fields", "maxDatasets,maxBytes"}, flags...)...)
	if quota != "maxDatasets\t1\nmaxBytes" {
		t.Errorf("the quota is %q", quota)
	}
}

// waitUntil waits until holds returns true. what describes the condition.
func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	timeout, tick := time.After(2*time.Minute), time.NewTicker(50*time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-timeout:
			t.Fatalf("%s: not in time", what)
		case <-tick.C:
		}
	}
}

// filesOf returns the keys of the files that the rows of a database reference.
func filesOf(t *testing.T, database string) (keys []string) {
	t.Helper()
	rows, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }() // nothing was written
	err = rows.Read(t.Context(), func(tx *store.Tx) error {
		keys, err = tx.ListBlobKeys(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return keys
}

// storedFiles returns the keys of all stored files.
func storedFiles(t *testing.T, storage string) []string {
	t.Helper()
	files, err := blob.Open(t.Context(), storage, blob.Options{Process: "test", TempDir: t.TempDir(), Getenv: os.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := files.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return keys
}

// TestDefaultQuotaOfOtherService checks that a start without --default-quota keeps the quota
// that a running service has stored, and that --default-quota none removes it.
func TestDefaultQuotaOfOtherService(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, step := range []struct {
		flags []string
		want  string
	}{{[]string{"--default-quota", "datasets=3"}, "maxDatasets\t3"}, {nil, "maxDatasets\t3"}, {[]string{"--default-quota", "none", "--smtp", "none", "--public-url", "none"}, "maxDatasets"}} {
		serveAt(t, "127.0.0.1:0", dir, append(step.flags, "--no-work")...)
		email := "user" + strconv.Itoa(i) + "@example.com"
		foretellAs(t, nil, "users", "add", email, "--data-dir", dir)
		if got := strings.TrimSpace(foretellAs(t, nil, "users", "quota", email, "--fields", "maxDatasets", "--data-dir", dir)); got != step.want {
			t.Errorf("%v: %q, want %q", step.flags, got, step.want)
		}
	}
}
