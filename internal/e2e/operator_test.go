package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/exit"
	"foretell/internal/filelock"
)

// TestBackupIsLocked makes a backup to a file to which another process writes a backup.
func TestBackupIsLocked(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if got := s.pipe(t, "", "users", "add", "ann@example.com"); got.exit != exit.OK {
		t.Fatal(got.stderr)
	}
	other, err := filelock.Create(filepath.Join(s.dir, "service.tar.part"))
	if err != nil {
		t.Fatal(err)
	}
	got := s.pipe(t, "", "backup", "service.tar")
	if got.exit != exit.Conflict || !strings.Contains(got.stderr, "another backup is being written to ") || !strings.Contains(got.stderr, "wait until the other backup ends, or write to another file") {
		t.Errorf("while the other process runs: exit %d, %s", got.exit, got.stderr)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if got := s.pipe(t, "", "backup", "service.tar"); got.exit != exit.OK {
		t.Errorf("when it has ended: %s", got.stderr)
	}
	if err := os.Mkdir(filepath.Join(s.dir, "folder.tar.part"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := s.pipe(t, "", "backup", "folder.tar"); got.exit != exit.Conflict || !strings.Contains(got.stderr, "remove or rename whatever has this name, or write the backup to another file") {
		t.Errorf("a folder: exit %d, %s", got.exit, got.stderr)
	}
}

// TestDoctorOfMissingStorage checks a storage of files that is missing, such as a disk that is not
// mounted. The check must not create it.
func TestDoctorOfMissingStorage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if got := s.pipe(t, "", "users", "add", "ann@example.com"); got.exit != exit.OK {
		t.Fatal(got.stderr)
	}
	missing := filepath.Join(s.dir, "missing")
	got := s.pipe(t, "", "doctor", "--storage", "file://"+filepath.ToSlash(missing))
	if got.exit != exit.NotFound || !strings.Contains(got.stderr, "the folder of the stored files does not exist") || !strings.Contains(got.stderr, "mount its disk, or select another storage with ") {
		t.Errorf("exit %d, %s", got.exit, got.stderr)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("the check has created the folder")
	}
}

// TestQuotaOfUpload uploads a file that exceeds the quota of the account. If the command has created the
// dataset, it deletes it again. Otherwise the hint has the command that deletes it. The test also checks
// that `status` shows the quota, and that `users list` says that the accounts are not those of the
// configured server only if this server does not serve the same folder.
func TestQuotaOfUpload(t *testing.T) {
	t.Parallel()
	address, dir := serve(t)
	s := newStage(t)
	if err := addAccount("a@example.com", []string{"--data-dir", dir}); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "FORETELL_SERVER="+address, "FORETELL_USERNAME=a@example.com", "FORETELL_PASSWORD=a long password")
	if got := s.pipe(t, "", "users", "quota", "a@example.com", "--bytes", "10", "--data-dir", dir); got.exit != exit.OK {
		t.Fatal(got.stderr)
	}
	for _, args := range [][]string{{"datasets", "create", "shop", "train.csv"}, {"run", "train.csv", "--label", "class"}} {
		got := s.pipe(t, "", args...)
		if got.exit != exit.Conflict || !strings.Contains(got.stderr, "; the new dataset was deleted, because it is empty") || strings.Contains(got.stderr, "PENDING") {
			t.Errorf("%s: exit %d, %s", args, got.exit, got.stderr)
		}
	}
	if got := s.pipe(t, "", "datasets", "list", "-q"); got.stdout != "" {
		t.Errorf("datasets after the refused uploads: %s", got.stdout)
	}
	if got := s.pipe(t, "", "datasets", "create", "shop"); got.exit != exit.OK {
		t.Fatal(got.stderr)
	}
	got := s.pipe(t, "", "datasets", "upload", "shop", "train.csv")
	_, hint, _ := strings.Cut(got.stderr, "is still PENDING and counts towards the quota: delete it with `foretell ")
	remove, _, _ := strings.Cut(hint, "`")
	if got.exit != exit.Conflict || !strings.HasPrefix(remove, "datasets delete ") {
		t.Fatalf("exit %d, %s", got.exit, got.stderr)
	}
	if got := s.pipe(t, "", append(strings.Fields(remove), "--yes")...); got.exit != exit.OK {
		t.Errorf("%s: %s", remove, got.stderr)
	}
	if got := s.pipe(t, "", "status", "--fields", "bytes,maxBytes,datasets,maxDatasets,races,maxRaces"); got.stdout != "bytes\t\nmaxBytes\t10\ndatasets\t0\nmaxDatasets\t\nraces\t0\nmaxRaces\t\n" {
		t.Errorf("the quota of the account: %q", got.stdout)
	}
	for server, differs := range map[string]bool{address: false, strings.Replace(address, "127.0.0.1", "localhost", 1) + "/": false, "http://other.example.com": true} {
		command := s.command("users", "list", "--data-dir", dir)
		command.Env = append(command.Env, "FORETELL_SERVER="+server)
		text, err := command.CombinedOutput()
		if err != nil || strings.Contains(string(text), ", not those of the server") != differs {
			t.Errorf("%s: %v, %s", server, err, text)
		}
	}
}
