package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/exit"
	"foretell/internal/testenv"
)

// TestFullDisk downloads a result to a full disk, which is mounted in a mount namespace of the
// test.
func TestFullDisk(t *testing.T) {
	needMount(t)
	s := newStage(t)
	if got := s.pipe(t, "", "run", "train.csv", "--name", "shop", "--algorithm", "BSIX01", "--time-limit", "60s", "-q"); got.exit != exit.OK {
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
	const script = `mkdir disk; mount -t tmpfs -o size=16k tmpfs disk; foretell predictions create shop large.csv -o disk/out.csv; code=$?; ls -A disk; exit $code`
	exitErr, stdout, stderr := s.inMounts(script)
	if exitErr != exit.Unexpected || stdout != "" {
		t.Errorf("exit %d, left behind or printed %q", exitErr, stdout)
	}
	for _, want := range []string{"no space left on device", "the incomplete file was removed", "`foretell predictions download "} {
		if !strings.Contains(stderr, want) {
			t.Errorf("it does not say %q: %s", want, stderr)
		}
	}
}

// TestRestoreToFullDisk restores a backup to disks on which the database and the stored files do not
// fit.
func TestRestoreToFullDisk(t *testing.T) {
	needMount(t)
	s := newStage(t)
	var rows strings.Builder
	rows.WriteString("id,size,label\n")
	for i := range 60_000 {
		fmt.Fprintf(&rows, "a%d,%d,%t\n", i, i*7919%100_003, i%2 == 0)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "large.csv"), []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"datasets", "create", "large", "large.csv", "--data-dir", "old"}, {"backup", "service.tar", "--data-dir", "old"}} {
		if got := s.pipe(t, "", args...); got.exit != exit.OK {
			t.Fatal(got.stderr)
		}
	}
	for _, size := range []string{"200k", "600k"} {
		exitErr, _, stderr := s.inMounts(`mkdir -p disk; mount -t tmpfs -o size=` + size + ` tmpfs disk; foretell restore service.tar --data-dir disk/new`)
		if exitErr != exit.Unexpected || !strings.Contains(stderr, "nothing was restored: ") || !strings.Contains(stderr, "free some space, or restore to another disk") {
			t.Errorf("%s: exit %d, %s", size, exitErr, stderr)
		}
	}
}

// TestReadOnlyFolder writes results to a disk that is mounted read-only. The command fails before
// the race, which may take an hour.
func TestReadOnlyFolder(t *testing.T) {
	needMount(t)
	s := newStage(t)
	for command, want := range map[string]string{
		"run train.csv --blind blind.csv -o disk/out.csv":             "no file can be created in the folder \"disk\" for the output: read-only file system",
		"run train.csv --require 'accuracy>=0' --junit disk/gate.xml": "no file can be created in the folder \"disk\" for the output: read-only file system",
		"check train.csv --fix disk/fixed.csv":                        "no file can be created in the folder \"disk\" for the copy: read-only file system",
	} {
		exitErr, stdout, stderr := s.inMounts(`mkdir -p disk; mount -t tmpfs -o ro tmpfs disk; foretell ` + command)
		if exitErr != exit.Unexpected || stdout != "" || !strings.Contains(stderr, want) || !strings.Contains(stderr, "make the folder writable, or ") {
			t.Errorf("%s: exit %d, %s%s", command, exitErr, stdout, stderr)
		}
	}
	if races := s.pipe(t, "", "training", "list", "-q"); races.stdout != "" {
		t.Errorf("a race was started: %s", races.stdout)
	}
}

// TestFullDataFolder writes each kind of file to a data folder on a full disk. At
// first, only the database's reserve is free, and then nothing.
func TestFullDataFolder(t *testing.T) {
	needMount(t)
	s := newStage(t)
	const script = `
mkdir disk; mount -t tmpfs -o size=64m tmpfs disk; export FORETELL_DATA_DIR=$PWD/disk
race="--algorithm BSIX01 --time-limit 60s -q"
timeout 60 foretell run train.csv --name shop $race || exit 90
free() { df -k --output=avail disk | tail -1; }
dd if=/dev/zero of=disk/fill bs=1k count=$(($(free) - 6000)) 2>/dev/null
timeout 60 foretell training create shop $race && exit 91
timeout 60 foretell predictions create shop blind.csv -o out.csv && exit 92
timeout 60 foretell run train.csv --name other --data-dir $PWD/disk $race; [ $? = 1 ] || exit 93
timeout 60 foretell status --fields freeBytes >&2 || exit 94
foretell serve --no-work --listen 127.0.0.1:0 -q 2>serve.log & service=$!
until base=$(sed -n 's/^listening on //p' serve.log) && [ -n "$base" ]; do sleep .1; done
curl -s $base/readyz | grep -q 'the disk of the data folder is full' || exit 89
kill $service; wait $service
timeout 60 foretell prune --older-than 0s --keep-champions=false --yes -q || exit 95
timeout 60 foretell datasets list -q | grep -q . && exit 96
dd if=/dev/zero of=disk/fill2 bs=512 2>/dev/null
timeout 60 foretell datasets list && exit 97
rm disk/fill disk/fill2
timeout 60 foretell run train.csv --name shop $race || exit 98`
	exitErr, _, stderr := s.inMounts(script)
	if exitErr != exit.OK {
		t.Errorf("exit %d", exitErr)
	}
	full := "the disk of the data folder is full (" + filepath.Join(s.dir, "disk") + ", "
	if n := strings.Count(stderr, full); n != 3 {
		t.Errorf("%d messages name the folder, not one each of a model, a blind file and a dataset", n)
	}
	if n := strings.Count(stderr, "run `foretell prune --dry-run` to see what can be deleted"); n < 2 {
		t.Errorf("%d messages have the command", n)
	}
	if want := "run `foretell prune --dry-run --data-dir " + filepath.Join(s.dir, "disk") + "` to see what can be deleted"; !strings.Contains(stderr, want) {
		t.Errorf("it does not say %q", want)
	}
	if want := "its disk is full, 0 B free"; !strings.Contains(stderr, want) {
		t.Errorf("it does not say %q", want)
	}
	if t.Failed() {
		t.Log(stderr)
	}
}

// TestReplayOnFullDisk replays a result in a temporary folder on small disks: on the first, there is no
// space for the database, then none for the stored files, and then none for the model. Which request
// fails also depends on how often the race stores its scores, and so on the speed of the machine.
func TestReplayOnFullDisk(t *testing.T) {
	needMount(t)
	s := newStage(t)
	if got := s.pipe(t, "", "run", "train.csv", "--blind", "blind.csv", "-o", "out.csv", "--algorithm", "BSIX01", "-q"); got.exit != exit.OK {
		t.Fatal(got.stderr)
	}
	for _, size := range []string{"100k", "400k", "600k", "720k"} {
		exitErr, stdout, stderr := s.inMounts(`mkdir -p disk; mount -t tmpfs -o size=` + size + ` tmpfs disk; TMPDIR=$PWD/disk foretell replay out.csv.receipt.json; code=$?; ls -A disk; exit $code`)
		if exitErr != exit.Unexpected || stdout != "" || !strings.Contains(stderr, "free space there, or set TMPDIR to a folder on another disk") || strings.Contains(stderr, "--data-dir") {
			t.Errorf("%s: exit %d, left behind or printed %q, %s", size, exitErr, stdout, stderr)
		}
	}
}

// needMount skips the test if small disks cannot be mounted.
func needMount(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt").CombinedOutput(); err != nil {
		testenv.SkipWithout(t, "disk", fmt.Errorf("%w: %s", err, out))
	}
}

// inMounts runs a shell script in a mount namespace of its own.
func (s *stage) inMounts(script string) (exitErr exit.Status, stdout, stderr string) {
	command := exec.Command("unshare", "-rm", "sh", "-c", script)
	command.Dir, command.Env = s.dir, s.env
	var out, errs strings.Builder
	command.Stdout, command.Stderr = &out, &errs
	_ = command.Run() // the exit status is used instead of the error
	return exit.Status(command.ProcessState.ExitCode()), out.String(), errs.String()
}
