//go:build unix

package e2e_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/testenv"
)

// TestKeyringLogin logs in with the Secret Service of the machine, which is required if
// FORETELL_TEST_REQUIRE contains keyring. The storage must be saved in the profile, no secret
// may be written to a file, and the errors of an unavailable keyring and of a missing entry
// must differ.
func TestKeyringLogin(t *testing.T) {
	bus := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if bus == "" {
		testenv.SkipWithout(t, "keyring", errors.New("there is no session bus"))
	}
	served := account(t, serve)
	address, content := strings.TrimPrefix(served[0], "FORETELL_SERVER="), t.TempDir()
	type result struct {
		exit int
		said string
	}
	do := func(bus, stdin string, args ...string) result {
		command := exec.Command("foretell", args...)
		command.Env = []string{"HOME=" + t.TempDir(), "FORETELL_CONFIG_DIR=" + content, "DBUS_SESSION_BUS_ADDRESS=" + bus}
		command.Stdin = strings.NewReader(stdin)
		out, _ := command.CombinedOutput() // the exit status is used instead of the error
		return result{command.ProcessState.ExitCode(), string(out)}
	}
	want := func(got result, exitErr int, says string) {
		t.Helper()
		if got.exit != exitErr || !strings.Contains(got.said, says) {
			t.Fatalf("exit %d, want %d and %q: %s", got.exit, exitErr, says, got.said)
		}
	}
	want(do(bus, "a long password\n", "login", address, "--username", "a@example.com", "--password-stdin", "--stay-signed-in"), 0, "keyring")
	want(do(bus, "", "datasets", "list", "--json"), 0, "[]")
	want(do("unix:path=/nowhere", "", "datasets", "list"), 4, "the system keyring is unavailable")
	files, err := os.ReadDir(content)
	if err != nil {
		t.Fatal(err)
	}
	kept := ""
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(content, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		kept += string(text)
	}
	if strings.Contains(kept, "password") || !strings.Contains(kept, "storage: keyring") {
		t.Errorf("the files have %s", kept)
	}
	want(do(bus, "", "logout"), 0, "a@example.com")
	want(do(bus, "", "datasets", "list", "--server", address), 4, "not logged in")
}
