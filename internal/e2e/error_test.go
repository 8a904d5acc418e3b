package e2e_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// errorsFile has every error as the user sees it: a command after "$ ", its exit status
// and its output.
const errorsFile = "../../testdata/errors.txt"

// TestErrors runs the commands of errorsFile and compares their errors. Each error must leave
// standard output empty, and print the name of the program, the fact and a hint.
func TestErrors(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("hundreds of commands that fail before anything is concurrent")
	}
	if runtime.GOOS != "linux" {
		t.Skip("what the system says is written down as Linux says it")
	}
	golden, err := os.ReadFile(errorsFile)
	if err != nil {
		t.Fatal(err)
	}
	stage := newErrorStage(t)
	lines := strings.SplitAfter(string(golden), "\n")
	answers := make([]string, len(lines))
	var wait sync.WaitGroup
	slots := make(chan struct{}, 4)
	for i, line := range lines {
		command, typed := strings.CutPrefix(line, "$ ")
		if !typed {
			continue
		}
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			answers[i] = stage.provoke(t, strings.TrimSpace(command))
		})
	}
	wait.Wait()
	var got strings.Builder
	for i, line := range lines {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "$ ") || i > 0 && line == "\n" && lines[i-1] != "\n" {
			got.WriteString(line + answers[i])
		}
	}
	if *update {
		if err := os.WriteFile(errorsFile, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(golden), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", errorsFile, diff)
	}
}

// errorStage is the environment of the commands: a folder with files and data, and a service
// whose responses depend on the path of its address.
type errorStage struct {
	dir   string
	env   []string
	names *strings.Replacer
}

func newErrorStage(t *testing.T) *errorStage {
	t.Helper()
	s := &errorStage{dir: t.TempDir()}
	if err := os.CopyFS(s.dir, os.DirFS("../../testdata/errors")); err != nil {
		t.Fatal(err)
	}
	fake := httptest.NewServer(http.HandlerFunc(misbehave))
	t.Cleanup(fake.Close)
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "GOGC=" + os.Getenv("GOGC"), "HOME=" + s.dir, "TMPDIR=" + s.dir, "NO_PROXY=127.0.0.1", "FORETELL_PROGRESS=none",
		"FAKE=" + fake.URL, "TAKEN=" + strings.TrimPrefix(fake.URL, "http://"),
	}
	s.names = strings.NewReplacer(
		fake.URL, "http://fake.example.com", "https://"+strings.TrimPrefix(fake.URL, "http://"), "https://fake.example.com",
		strings.TrimPrefix(fake.URL, "http://"), "fake.example.com", s.dir, "/home/user")
	s.signIn(t, "keyringconfig", "keyring", fake.URL+"/fail")
	s.signIn(t, "expiredconfig", "file", fake.URL+"/fail")
	for _, args := range [][]string{{"shop", "train.csv"}, {"shop-two", "train.csv"}, {"later"}} {
		create := exec.Command("foretell", append([]string{"datasets", "create", "-q"}, args...)...)
		create.Dir, create.Env = s.dir, s.env
		if out, err := create.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", create.Args, err, out)
		}
	}
	s.age(t, "newer")
	if err := os.CopyFS(filepath.Join(s.dir, "old"), os.DirFS("../app/testdata/schema1")); err != nil {
		t.Fatal(err)
	}
	return s
}

// age marks a data folder as written by a newer version of this program.
func (s *errorStage) age(t *testing.T, folder string) {
	t.Helper()
	list := exec.Command("foretell", "datasets", "list", "-q", "--data-dir", folder)
	list.Dir, list.Env = s.dir, s.env
	if out, err := list.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", list.Args, err, out)
	}
	db, err := sql.Open("sqlite", filepath.Join(s.dir, folder, "foretell.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// signIn writes the files of an account whose session has expired.
func (s *errorStage) signIn(t *testing.T, content, storage, server string) {
	t.Helper()
	for name, text := range map[string]string{
		"config.yaml":      "profiles:\n  default:\n    server: " + server + "\n    username: a@example.com\n    storage: " + storage + "\n",
		"credentials.json": `{"a@example.com at ` + server + `": {"token": "t", "expires": "2020-01-01T00:00:00Z"}}`,
	} {
		path := filepath.Join(s.dir, content, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// provoke runs a command and returns its exit status and its output.
func (s *errorStage) provoke(t *testing.T, command string) string {
	t.Helper()
	shell := exec.Command("sh", "-c", command)
	shell.Dir, shell.Env = s.dir, s.env
	var stdout, stderr strings.Builder
	shell.Stdout, shell.Stderr = &stdout, &stderr
	if err := shell.Run(); err == nil || stdout.Len() > 0 {
		t.Errorf("%s: %v, and %q on standard output", command, err, stdout.String())
	}
	said := stderr.String()
	if strings.HasPrefix(said, "{") {
		var doc struct {
			Error struct{ Code, Message, Hint string }
		}
		if err := json.Unmarshal([]byte(said), &doc); err != nil || doc.Error.Code == "" || doc.Error.Message == "" || doc.Error.Hint == "" {
			t.Errorf("%s: %v: %s", command, err, said)
		}
	} else if !answered().MatchString(said) {
		t.Errorf("%s says what to do next nowhere:\n%s", command, said)
	}
	said = newestSchema().ReplaceAllString(said, "${1}VERSION")
	said = keyOrName().ReplaceAllStringFunc(s.names.Replace(said), func(key string) string {
		if strings.HasPrefix(key, "00000000") {
			return key // a key of the simulated service
		}
		return "KEY"
	})
	return "exit " + strconv.Itoa(shell.ProcessState.ExitCode()) + "\n" + said
}

// answered matches an error and its hint, which may follow warnings.
var answered = pattern(`(?m)^foretell: .+\n(.*\n)*.+\n`)

// newestSchema matches the version of the schema, which the next migration changes.
var newestSchema = pattern(`(this version supports at most |this version of foretell supports at most )\d+`)

var keyOrName = key
