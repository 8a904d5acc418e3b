package cmd_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
)

// errorsFile has every error as the user sees it: a command after "$ ", its exit status
// and its output.
const errorsFile = "../testdata/errors.txt"

// TestErrors provokes every error of errorsFile with real commands, and checks each:
// nothing on standard output, the program's name with the fact, and the next step.
func TestErrors(t *testing.T) {
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

// errorStage is the environment for errors: a folder with files and data, and a service
// that responds as its address says.
type errorStage struct {
	dir   string
	env   []string
	names *strings.Replacer
}

func newErrorStage(t *testing.T) *errorStage {
	t.Helper()
	s := &errorStage{dir: t.TempDir()}
	if err := os.CopyFS(s.dir, os.DirFS("../testdata/errors")); err != nil {
		t.Fatal(err)
	}
	fake := httptest.NewServer(http.HandlerFunc(misbehave))
	t.Cleanup(fake.Close)
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "TMPDIR=" + s.dir, "NO_PROXY=127.0.0.1", "FORETELL_PROGRESS=none",
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
	return s
}

// age marks a data folder as used by a newer program.
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

// signIn writes an expired sign-in.
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
	} else if !answered.MatchString(said) {
		t.Errorf("%s says what to do next nowhere:\n%s", command, said)
	}
	said = keyOrName.ReplaceAllStringFunc(s.names.Replace(said), func(key string) string {
		if strings.HasPrefix(key, "00000000") {
			return key // of the service that misbehaves
		}
		return "KEY"
	})
	return "exit " + strconv.Itoa(shell.ProcessState.ExitCode()) + "\n" + said
}

// answered matches an error with its hint after warnings.
var answered = regexp.MustCompile(`(?m)^foretell: .+\n(.*\n)*.+\n`)

var keyOrName = regexp.MustCompile(key.String())

// misbehave responds as the first element of the path says.
func misbehave(w http.ResponseWriter, r *http.Request) {
	mode, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	w.Header().Set("Content-Type", "application/json")
	kind, value, _ := strings.Cut(mode, "-")
	switch kind {
	case "html":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>Welcome</html>")
	case "words":
		fmt.Fprint(w, "no JSON")
	case "garbage":
		fmt.Fprint(w, `{"datasets": 5}`)
	case "cut":
		panic(http.ErrAbortHandler)
	case "redirect":
		http.Redirect(w, r, "http://elsewhere.example.com/", http.StatusFound)
	case "status":
		status, _ := strconv.Atoi(value)
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(status)
		fmt.Fprint(w, `{"message":"the service's own words"}`)
	case "code":
		problem := api.NewProblem(api.Code(value), "the service's own words")
		problem.RequestID = "4711"
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(problem.Status)
		_ = json.NewEncoder(w).Encode(problem)
	case "hang":
		if strings.HasSuffix(rest, "/data") {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			return
		}
		failJobs(w, r, rest)
	case "full":
		if strings.HasSuffix(rest, "/data") {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"code":"not-ready","detail":"the service is stopping"}`)
			return
		}
		failJobs(w, r, rest)
	case "twins":
		fmt.Fprint(w, `{"datasets":[{"datasetKey":"00000000-0000-4000-8000-000000000001","datasetName":"shop"},`+
			`{"datasetKey":"00000000-0000-4000-8000-000000000002","datasetName":"shop-two"}],"total":2}`)
	default:
		failJobs(w, r, rest)
	}
}

// ends maps the last characters of keys to final states.
var ends = map[string]string{
	"01": `"datasetName":"shop","status":"FAILED","failureReason":"every algorithm failed"`,
	"02": `"status":"CANCELLED","modelKey":"00000000-0000-4000-8000-0000000000aa"`,
	"03": `"status":"NOT_COMPLETED","metric":"accuracy","targetPerformance":0.9,"achievedPerformance":0.8,"modelKey":"00000000-0000-4000-8000-0000000000aa"`,
	"04": `"status":"RUNNING"`,
	"05": `"status":"COMPLETED","rows":9,"predictionResultUrl":"/fail/result"`,
	"06": `"status":"COMPLETED","predictionResultUrl":"/fail/damaged"`,
	"07": `"status":"TIMEOUT","failureReason":"it took too long"`,
	"aa": `"modelKey":"00000000-0000-4000-8000-0000000000aa","datasetKey":"00000000-0000-4000-8000-000000000008","achievedPerformance":"0.8"`,
	"09": `"status":"PENDING"`,
	"08": `"status":"COMPLETED","datasetName":"shop","columns":[{"name":"size"},{"name":"weight"}]`,
}

// failJobs responds like a service whose jobs fail.
func failJobs(w http.ResponseWriter, r *http.Request, path string) {
	found := keyOrName.FindString(path)
	switch {
	case path == "result":
		fmt.Fprint(w, "id,size,prediction\nb1,1,yes\n")
	case path == "damaged":
		fmt.Fprint(w, "id,size\nb1\n")
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/datasets"):
		fmt.Fprint(w, `{"datasetKey":"00000000-0000-4000-8000-000000000001","status":"PENDING"}`)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/data"):
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"code":"invalid","detail":"line 2 has too many cells"}`)
	case r.Method == http.MethodPost && strings.Contains(path, "/predictions"):
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		fmt.Fprint(w, `{"code":"too-large","detail":"at most 5 bytes are taken"}`)
	case found != "":
		fmt.Fprintf(w, `{"trainingJobKey":%q,"predictionKey":%q,"datasetKey":%[1]q,`, found, found)
		fmt.Fprint(w, ends[found[len(found)-2:]]+"}")
	default:
		fmt.Fprint(w, `{"datasets":[],"offset":0,"limit":1000,"total":0}`)
	}
}

// provokedElsewhere has the messages that errorsFile cannot contain, with the reason.
var provokedElsewhere = map[string]string{
	"cancelled: not confirmed":                     "TestTerminal: a question needs a terminal",
	"nothing was changed; --yes skips the prompt":  "TestTerminal",
	"the passwords do not match":                   "TestTerminal",
	"a model is binary: a terminal cannot show it": "TestTerminal",
	"name a file with -o, or pipe the output":      "TestTerminal",
	"try again":                      "TestTerminal",
	"interrupted before it finished": "TestTerminal: a signal",
	"run the command again":          "TestTerminal",
	"interrupted while uploading: the dataset is still PENDING":                                                         "TestInterruptedUpload",
	"interrupted: the race was stopped":                                                                                 "TestInterrupt",
	"predict with it: `%s`":                                                                                             "TestInterrupt",
	"the time limit of %s ended before any algorithm produced a model":                                                  "TestDeadlineBeforeRace: how long that takes is the machine's",
	"the time limit of %s ended while the race was queued behind others":                                                "TestDeadlineBeforeRace",
	"list them with `foretell training list`; cancel one with `foretell training cancel`, or use a longer --time-limit": "the same",
	"use a longer one, such as --time-limit %s":                                                                         "TestDeadlineBeforeRace",
	"%d of %s damaged; %s (blobs/%s)":                                                                                   "a finding of doctor",
	"restore these files in blobs/ from a backup":                                                                       "a finding of doctor",
	"start another with `%s`":                                                                                           "a race that is stopped before its first score",
	"race %s uses other data than %s: the SHA-256 differs":                                                              "there is no race to resume on the stage",
	"name the file that the race was started on, or start a race on this one: `%s`":                                     "the same",
	"interrupted while planning: nothing was kept":                                                                      "TestInterruptedPlan",
	"when it responds again, continue with `%s`":                                                                        "TestLeftWaitNamesTheNextCommand, and TestServiceRestart",
	"the incomplete file was removed; free some space, then run `%s`":                                                   "TestFullDisk",
	"cannot use the data folder %s: its disk is full, %s free: %w":                                                      "TestFullDataFolder",
	"free space on that disk, or move the folder to another one and name it with --data-dir; with a few MB free `foretell prune` works again": "the same",
	"%s does not match %s: %w":                                                   "a receipt needs a race: see the scripts",
	"the predictions differ from those of %s: %w":                                "the same",
	"put the result beside its receipt to list the rows and columns that differ": "the same",
	"compare the program versions: the receipt has %q, this is %q":               "the same",
	"%s is not the blind file of %s":                                             "the same",
	"name the file that was predicted, %s, unchanged":                            "the same",
	"fix the file; `foretell check FILE` lists each defect":                      "a defect that nobody tied to its file",
	"%s: permission denied":                                                      "an administrator may read everything",
	"change its permissions, or name another file":                               "the same",
	"the model is kept; see `foretell models report %s`":                         "a gate that fails needs a race: see the scripts",
	"invalid address %s: %w":                                                     "a finding of doctor",
	"invalid proxy address: %w":                                                  "a finding of doctor",
	"fix HTTPS_PROXY or HTTP_PROXY":                                              "a finding of doctor",
	"this machine's clock differs from the service's by %s":                      "a finding of doctor",
	"set the clock: tokens and signed URLs depend on it":                         "a finding of doctor",
	"unlock it, set %s, or sign in with `foretell login --storage file`":         "a finding of doctor",
	"cannot start a browser for %s: %w":                                          "a browser is started from a terminal",
	"set BROWSER, or print the URL with --no-browser":                            "the same",
	"%s by model %s":             "the same",
	"cannot change %s: %w":       "an administrator may write everything",
	"internal error: %v":         "a panic",
	"set %s=1 for a stack trace": "a panic",
	"try again; if it persists, report it with the output of %s=1": "what nobody foresaw",
}

// TestEveryErrorIsProvoked checks that each message and hint in the source is in
// errorsFile or in provokedElsewhere.
func TestEveryErrorIsProvoked(t *testing.T) {
	golden, err := os.ReadFile(errorsFile)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(golden), `\"`, `"`)
	excused := map[string]bool{}
	for format := range provokedElsewhere {
		excused[format] = false
	}
	for _, message := range messages(t) {
		if _, known := excused[message.format]; known {
			excused[message.format] = true
			continue
		}
		if !message.pattern.MatchString(text) {
			t.Errorf("%s: %q is in no error of %s", message.at, message.format, errorsFile)
		}
	}
	for format, used := range excused {
		if !used {
			t.Errorf("%q is excused, but no such message is left", format)
		}
	}
	for _, code := range api.Codes() {
		if !strings.Contains(text, `"code":"`+string(code)+`"`) {
			t.Errorf("the service's code %s is in no error of %s", code, errorsFile)
		}
	}
}

// message is a format of an error or a hint in the source.
type message struct {
	format  string
	pattern *regexp.Regexp
	at      token.Position
}

// verbs matches the verbs of a format.
var verbs = regexp.MustCompile(`%(\[\d\])?[-+# 0-9.]*[a-zA-Z]`)

// messages returns the formats of the package's errors that contain words.
func messages(t *testing.T) []message {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []message
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal := messageOf(n)
			if literal == nil {
				return true
			}
			format, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			var parts []string
			for _, part := range verbs.Split(format, -1) {
				parts = append(parts, regexp.QuoteMeta(part))
			}
			if strings.Trim(verbs.ReplaceAllString(format, ""), " :.`") != "" {
				found = append(found, message{format, regexp.MustCompile(strings.Join(parts, ".*")), set.Position(n.Pos())})
			}
			return true
		})
	}
	return found
}

// messageOf returns the text of the error or hint that n creates.
func messageOf(n ast.Node) *ast.BasicLit {
	var text ast.Expr
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if name, ok := n.Key.(*ast.Ident); ok && (name.Name == "fact" || name.Name == "hint") {
			text = n.Value
		}
	case *ast.CallExpr:
		name := ""
		switch called := n.Fun.(type) {
		case *ast.Ident:
			name = called.Name
		case *ast.SelectorExpr:
			name = called.Sel.Name
		}
		place := map[string]int{"usageErrorf": 0, "withHint": 0, "exitErrorf": 1}
		if i, ok := place[name]; ok && len(n.Args) > i {
			text = n.Args[i]
		}
	}
	literal, ok := text.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return nil
	}
	return literal
}
