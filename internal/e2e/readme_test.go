package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadmeSession runs the session in README.md. Scores and times may differ, but
// nothing else.
func TestReadmeSession(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("races four algorithms on a real set")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, session, found := strings.Cut(string(readme), "```console\n")
	session, _, closed := strings.Cut(session, "```\n")
	if !found || !closed {
		t.Fatal("README.md shows no session")
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "testdata", "credit-g"), os.DirFS("../../testdata/credit-g")); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(session) {
		typed, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		got.WriteString(line)
		args := strings.Fields(typed)
		command := exec.Command(args[0], args[1:]...)
		command.Dir = dir
		command.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "FORETELL_PROGRESS=none", "XDG_DATA_HOME=" + dir, tunedGC + "=1"}
		if err := os.MkdirAll(filepath.Join(dir, "foretell"), 0o700); err != nil {
			t.Fatal(err)
		}
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", typed, err, out)
		}
		got.Write(out)
	}
	if diff := cmp.Diff(steady(session), steady(got.String())); diff != "" {
		t.Errorf("the session of README.md (-shown +real):\n%s", diff)
	}
}

var figures = []func() *regexp.Regexp{
	pattern(`(?m)^  made of .*\n`),   // only for a blend
	pattern(`won(:| on) .*, after `), // the reason depends on the winner
	pattern(`BLEND|B(SIX01|FIF01|SEV01|SEV02)( neural network| forest| symmetric boosting| boosting)?`),
	pattern(`(\d+ min )?\d+(\.\d+)? s\b`), pattern(`-?\d+\.\d+`),
	pattern(` +`),
}

// steady replaces by ~ the numbers and names that may differ between machines and runs.
func steady(text string) string {
	for _, figure := range figures {
		text = figure().ReplaceAllString(text, " ~ ")
	}
	return text
}
