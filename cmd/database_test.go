package cmd_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/testenv"
)

// foretellOn runs a command with a password on standard input and returns its output.
func foretellOn(t *testing.T, args ...string) (string, error) {
	t.Helper()
	command := exec.Command("foretell", args...)
	command.Stdin = strings.NewReader("a long password\n")
	out, err := command.CombinedOutput()
	return string(out), err
}

// Migrate prints the versions before and after, and does nothing the second time.
func TestMigrate(t *testing.T) {
	address := testenv.Postgres(t)
	for _, from := range []string{`"from": 0`, `"from": `} {
		out, err := foretellOn(t, "migrate", "--database", address, "--data-dir", t.TempDir(), "--json")
		if err != nil || !strings.Contains(out, from) || !strings.Contains(out, `"to": `) {
			t.Errorf("%v: %s", err, out)
		}
	}
	out, err := foretellOn(t, "migrate", "--database", address, "--data-dir", t.TempDir(), "--jq", ".from == .to")
	if err != nil || out != "true\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// What a database refuses is said with the next step.
func TestDatabaseErrors(t *testing.T) {
	t.Parallel()
	address, dir := testenv.Postgres(t), t.TempDir()
	add := func(database string) (string, error) {
		return foretellOn(t, "users", "add", "ann@example.com", "--password-stdin", "--database", database, "--data-dir", dir)
	}
	if out, err := add(address); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "blobs", "writer-name"), []byte("a stored file"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	missing.Path = "/no_such_database"
	for _, test := range []struct{ name, database, want string }{
		{"a database that does not exist", missing.String(), "check the database, its user and the password with `psql postgres://"},
		{"a database of other files", testenv.Postgres(t), "no stored file was changed; name the data folder of this database with --data-dir"},
	} {
		out, err := add(test.database)
		if err == nil || !strings.Contains(out, test.want) {
			t.Errorf("%s: %v: %s", test.name, err, out)
		}
	}
}
