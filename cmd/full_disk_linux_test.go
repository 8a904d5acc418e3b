package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk downloads a result to a disk that has no room for it, in a mount
// namespace of its own.
func TestFullDisk(t *testing.T) {
	if out, err := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt").CombinedOutput(); err != nil {
		SkipWithout(t, "disk", fmt.Errorf("%w: %s", err, out))
	}
	s := newStage(t)
	if got := s.pipe(t, "", "run", "train.csv", "--name", "shop", "--algorithm", "BSIX01", "--time-limit", "5s", "-q"); got.exit != ExitOK {
		t.Fatal(got.stderr)
	}
	var rows strings.Builder
	rows.WriteString("id,size,colour\n")
	for i := range 4000 {
		fmt.Fprintf(&rows, "b%d,%d,red\n", i, i%10)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "large.csv"), []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	disk := filepath.Join(s.dir, "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	const script = `mount -t tmpfs -o size=16k tmpfs disk; foretell predictions create shop large.csv -o disk/out.csv; code=$?; ls -A disk; exit $code`
	command := exec.Command("unshare", "-rm", "sh", "-c", script)
	command.Dir, command.Env = s.dir, s.env
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	_ = command.Run() // its status is what counts
	if exit := Exit(command.ProcessState.ExitCode()); exit != ExitUnexpected || stdout.String() != "" {
		t.Errorf("exit %d, left behind or printed %q", exit, stdout.String())
	}
	for _, want := range []string{"no space left on device", "nothing is left of it here", "`foretell predictions download "} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("it does not say %q: %s", want, stderr.String())
		}
	}
}
