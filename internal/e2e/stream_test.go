package e2e_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"foretell/cmd"
	"foretell/internal/cli"
	"foretell/internal/exit"
)

// try is a command with its expected result.
type try struct {
	args string
	// exit is the expected exit status.
	exit exit.Status
	// stdin is the standard input.
	stdin string
	// same requires the same rows on a terminal and in a pipe.
	same bool
}

// tries are commands. Each uses objects that the commands before it have created.
// Commands that are not in the list run without arguments.
var tries = []try{
	{args: "run train.csv --blind blind.csv --algorithm BSIX01 --name shop"},
	{args: "run train.csv --blind blind.csv --algorithm BSIX01", exit: exit.Conflict},
	{args: "check train.csv blind.csv"},
	{args: "check ragged.csv", exit: exit.Rejected},
	{args: "status", same: true},
	{args: "datasets create empty"},
	{args: "datasets upload empty train.csv"},
	{args: "datasets wait empty", same: true},
	{args: "datasets list", same: true},
	{args: "datasets list --csv", same: true},
	{args: "datasets get shop"},
	{args: "training create shop --algorithm BSIX01,BFIF01"},
	{args: "training create shop --algorithm BSIX01 --threshold 0.99999", exit: exit.BelowTarget},
	{args: "training list", same: true},
	{args: "training list --all --no-header", same: true},
	{args: "training get shop", same: true},
	{args: "training progress shop"},
	{args: "training watch shop", exit: exit.BelowTarget},
	{args: "training wait shop", exit: exit.BelowTarget},
	{args: "training cancel shop", exit: exit.Conflict},
	{args: "models list", same: true},
	{args: "models get shop@v1", same: true},
	{args: "models report shop@v1"},
	{args: "models export shop@v1 -o shop.model"},
	{args: "models export shop@v1 -o shop.model", exit: exit.Conflict},
	{args: "predictions list", same: true},
	{args: "predictions get shop", same: true},
	{args: "predictions create shop@v1 blind.csv -o made.csv"},
	{args: "predictions create shop@v1 blind.csv -o -"},
	{args: "predictions wait shop"},
	{args: "predictions download shop -o got.csv --blind blind.csv"},
	{args: "predictions download shop -o got.csv", exit: exit.Conflict},
	{args: "predictions verify got.csv --blind blind.csv", same: true},
	{args: "predictions verify result.csv --blind blind.csv", exit: exit.Untrusted},
	{args: "users add a@example.com --password-stdin", stdin: "a long password\n"},
	{args: "users list", same: true},
	{args: "users passwd a@example.com --password-stdin", stdin: "another password\n"},
	{args: "users passwd a@example.com", exit: exit.Usage},
	{args: "users disable a@example.com --yes"},
	{args: "users enable a@example.com"},
	{args: "users reset a@example.com --yes"},
	{args: "users role a@example.com administrator"},
	{args: "users role a@example.com user", exit: exit.Conflict},
	{args: "users add b@example.com --admin"},
	{args: "users quota a@example.com --datasets 9", same: true},
	{args: "users requests", same: true},
	{args: "users approve c@example.com", exit: exit.NotFound},
	{args: "users refuse c@example.com", exit: exit.NotFound},
	{args: "users audit", same: true},
	{args: "users audit --json-lines --limit 1"},
	{args: "users delete a@example.com --yes"},
	{args: "login", exit: exit.Usage},
	{args: "logout", exit: exit.SignIn},
	{args: "open missing", exit: exit.NotFound},
	{args: "serve --listen nowhere", exit: exit.Usage},
	{args: "worker --data-dir train.csv", exit: exit.Unexpected},
	{args: "version", same: true},
	{args: "predictions delete shop", exit: exit.Usage},
	{args: "models delete shop@v1", exit: exit.Usage},
	{args: "training delete shop", exit: exit.Usage},
	{args: "datasets delete shop", exit: exit.Usage},
	{args: "predictions delete shop --yes"},
	{args: "training delete shop --yes"},
	{args: "models delete shop --yes"},
	{args: "datasets delete empty --yes"},
}

// TestStreams runs every command with pipes, and checks that the output has nothing that only
// terminals understand: no escape codes, no redrawing, no prompt. Standard output has only
// data, and is empty if a command with a single result fails. On a terminal the rows are the
// same.
func TestStreams(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts hundreds of processes")
	}
	s := newStage(t)
	for _, try := range tries {
		args := strings.Fields(try.args)
		got := s.pipe(t, try.stdin, args...)
		if got.exit != try.exit {
			t.Fatalf("%s: exit %d, want %d: %s", try.args, got.exit, try.exit, got.stderr)
		}
		if kept := []exit.Status{exit.OK, exit.BelowTarget}; !slices.Contains(kept, got.exit) && args[0] != "check" && got.stdout != "" {
			t.Errorf("%s failed, and prints %q", try.args, got.stdout)
		}
		if try.same {
			s.compare(t, got.stdout, args...)
		}
	}
	for _, path := range leaves(cmd.NewRootCmd(&cli.Factory{}), nil) {
		if slices.ContainsFunc(tries, func(one try) bool { return strings.HasPrefix(one.args+" ", path+" ") }) {
			continue
		}
		if got := s.pipe(t, "", strings.Fields(path)...); got.exit != exit.OK && got.stdout != "" {
			t.Errorf("%s failed, and prints %q", path, got.stdout)
		}
	}
}

// leaves returns the commands without subcommands.
func leaves(command *cobra.Command, path []string) []string {
	if command.HasParent() {
		path = append(slices.Clone(path), command.Name())
	}
	if !command.HasSubCommands() {
		return []string{strings.Join(path, " ")}
	}
	var found []string
	for _, child := range command.Commands() {
		found = append(found, leaves(child, path)...)
	}
	return found
}

// stage is a folder with the files and the data that commands use.
type stage struct {
	dir string
	env []string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{dir: t.TempDir()}
	if err := os.CopyFS(s.dir, os.DirFS("../../testdata/errors")); err != nil {
		t.Fatal(err)
	}
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "GOGC=" + os.Getenv("GOGC"), "GORACE=" + os.Getenv("GORACE"), "HOME=" + s.dir, "AppData=" + s.dir, "LocalAppData=" + s.dir,
		"TMPDIR=" + s.dir, "TMP=" + s.dir, "TERM=xterm-256color", "FORETELL_DATA_DIR=" + filepath.Join(s.dir, "data"),
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere",
	}
	return s
}

func (s *stage) command(args ...string) *exec.Cmd {
	command := exec.Command("foretell", args...)
	command.Dir, command.Env = s.dir, s.env
	return command
}

// said is the exit status and the output of a command.
type said struct {
	exit           exit.Status
	stdout, stderr string
}

// pipe runs a command with pipes, checks its output and returns it.
func (s *stage) pipe(t *testing.T, stdin string, args ...string) said {
	t.Helper()
	command := s.command(args...)
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = io.MultiReader(strings.NewReader(stdin)), &stdout, &stderr
	_ = command.Run() // the exit status is used instead of the error
	for name, text := range map[string]string{"standard output": stdout.String(), "standard error": stderr.String()} {
		if strings.ContainsAny(text, "\x1b\r\x07") {
			t.Errorf("%v writes what is for a terminal to a pipe as %s: %q", args, name, text)
		}
	}
	return said{exit.Status(command.ProcessState.ExitCode()), stdout.String(), stderr.String()}
}

// signed matches parts of an output that change every second: the signature of a URL, and the
// free space.
var signed = regexp.MustCompile(`expires=\d+&signature=[\w-]+|"freeBytes": \d+`)

var styles = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// sameRows checks that the output on a terminal has as many rows as the output in a pipe, and
// that the rows begin with the same text.
func sameRows(t *testing.T, args []string, pipe, terminal string) {
	t.Helper()
	shown := strings.Split(strings.TrimSpace(styles.ReplaceAllString(strings.ReplaceAll(terminal, "\r\n", "\n"), "")), "\n")
	rows := strings.Split(strings.TrimSpace(pipe), "\n")
	if len(shown) != len(rows) {
		t.Errorf("%v: %d rows on a terminal, %d in a pipe:\n%s\n%s", args, len(shown), len(rows), terminal, pipe)
		return
	}
	for i, row := range rows {
		if row == "" && shown[i] == "" {
			continue // between two tables
		}
		first, _, _ := strings.Cut(strings.ReplaceAll(row, ",", "\t"), "\t")
		look, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(shown[i]), ",", " "), " ")
		header := i == 0 && strings.HasSuffix(first, "Key")
		if !strings.HasPrefix(first, strings.TrimSuffix(look, "…")) && !header {
			t.Errorf("%v: row %d begins with %q on a terminal, with %q in a pipe", args, i+1, look, first)
		}
	}
}
