//go:build unix

package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/testenv"
)

// TestBackupOfService backs up a service that has a model, a running race and arriving
// uploads. It moves the service from SQLite and files to PostgreSQL and files, then to
// PostgreSQL and S3, and back. Each time the service must have the same accounts and
// models, and must run the race again.
func TestBackupOfService(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	places := [][]string{
		nil,
		{"--database", testenv.Postgres(t)},
		{"--database", testenv.Postgres(t), "--storage", testenv.S3(t).String()},
		nil,
	}
	var archive, wantModel string
	for i, flags := range places {
		dir := t.TempDir()
		flags = append(flags, "--data-dir", dir)
		if i > 0 {
			if out, err := exec.Command("foretell", append([]string{"restore", archive}, flags...)...).CombinedOutput(); err != nil {
				t.Fatalf("restore: %v: %s", err, out)
			}
		}
		service, address := serveAt(t, "127.0.0.1:0", dir, flags...)
		var env []string
		if i == 0 {
			env = accountOn(t, address, flags...)
			foretellAs(t, env, "run", firstRows(t, "../../testdata/credit-g/train.csv", 150), "--name", "credit", "--algorithm", "BSIX01", "--threshold", "0.5", "-q")
			wantModel = modelOf(t, env, "credit")
		} else {
			env = append(signedIn(address), "HOME="+t.TempDir())
			if got := modelOf(t, env, "credit"); got != wantModel {
				t.Error("the model differs")
			}
			if race := foretellAs(t, env, "training", "list", "--limit", "1", "--no-header", "--fields", "trainingJobKey"); race != "" {
				foretellAs(t, env, "training", "wait", race)
			}
		}
		foretellAs(t, env, "training", "create", "credit", "--algorithm", "BSIX01", "--no-wait", "-q") // it runs or waits during the backup
		uploads, stop := make(chan error, 1), make(chan struct{})
		table := firstRows(t, "../../testdata/credit-g/train.csv", 50)
		go func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					uploads <- nil
					return
				default:
				}
				name := "upload-" + string(rune('a'+i)) + strings.Repeat("i", n)
				command := exec.Command("foretell", "datasets", "create", name, table, "--no-wait", "-q")
				command.Env = env
				if _, err := command.Output(); err != nil {
					uploads <- err
					return
				}
			}
		}()
		archive = filepath.Join(t.TempDir(), "service.tar")
		out, err := exec.Command("foretell", append([]string{"backup", archive, "--fields", "damaged"}, flags...)...).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "damaged\t0" {
			t.Errorf("backup: %v: %s", err, out)
		}
		close(stop)
		if err := <-uploads; err != nil {
			t.Errorf("an upload failed: %v", err)
		}
		_ = service.Process.Signal(os.Interrupt)
		_ = service.Wait()
	}
}

// signedIn returns the variables with which commands use the account of accountOn.
func signedIn(address string) []string {
	return []string{"FORETELL_SERVER=" + address, "FORETELL_USERNAME=a@example.com", "FORETELL_PASSWORD=a long password"}
}

// foretellAs runs a command, which must succeed, and returns its output.
func foretellAs(t *testing.T, env []string, args ...string) string {
	t.Helper()
	command := exec.Command("foretell", args...)
	command.Env = env
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s%s", args, err, out, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// modelOf returns the bytes of the first model of a series.
func modelOf(t *testing.T, env []string, series string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "first.model")
	foretellAs(t, env, "models", "export", series+"@v1", "-o", path, "-q")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
