package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/exit"
)

// TestFileSizeLimit writes a copy, a new data folder and a restored service in a process that may write
// only small files.
func TestFileSizeLimit(t *testing.T) {
	s := newStage(t)
	var rows strings.Builder
	rows.WriteString("size,colour,label\n")
	for i := range 60_000 {
		fmt.Fprintf(&rows, "%d,red,%c\n", i%10, "ab"[i%2])
	}
	if err := os.WriteFile(filepath.Join(s.dir, "large.csv"), []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"datasets", "create", "large", "large.csv", "--data-dir", "old"}, {"backup", "service.tar", "--data-dir", "old"}} {
		if got := s.pipe(t, "", args...); got.exit != exit.OK {
			t.Fatal(got.stderr)
		}
	}
	for command, want := range map[string]string{
		"foretell restore service.tar --data-dir $PWD/new":                      "raise the limit with `ulimit -f unlimited`",
		"ulimit -S -f 1200; foretell restore service.tar --data-dir $PWD/newer": "nothing was restored: this process is only allowed to write files of at most",
		"foretell check large.csv --fix copy.csv":                               "file too large\nthe file exceeds the limit on the size of files",
		"foretell datasets list --data-dir $PWD/data":                           "this process is only allowed to write files of at most",
		"foretell run train.csv --data-dir $PWD/data/one":                       "raise the limit with `ulimit -f unlimited`",
	} {
		shell := exec.Command("sh", "-c", "ulimit -S -f 40; "+command)
		shell.Dir, shell.Env = s.dir, s.env
		out, _ := shell.CombinedOutput() // the exit status is used instead of the error
		if status := exit.Status(shell.ProcessState.ExitCode()); status != exit.Unexpected || !strings.Contains(string(out), want) {
			t.Errorf("%s: exit %d, %s", command, status, out)
		}
	}
}
