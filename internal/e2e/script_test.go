package e2e_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"foretell/cmd"
	"foretell/internal/auth"
	"foretell/internal/testenv"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	if signal.Ignored(syscall.SIGHUP) && filepath.Base(os.Args[0]) != "foretell" {
		// The services that the tests start would inherit that SIGHUP is ignored, and
		// would never end. They do not inherit it if this process catches the signal.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	useMemoryFolder()
	// Many tests wait for a browser, a lease or a service, so more tests than cores run at a
	// time.
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // unless -parallel is given
	_ = os.Setenv("GOGC", rareGC)                                        // for the commands, which otherwise collect garbage even before main
	testscript.Main(m, map[string]func(){"foretell": func() {
		if os.Getenv("GOGC") == "" && os.Getenv(tunedGC) == "" { // the test has set another environment, without GOGC
			_ = os.Setenv("GOGC", rareGC)
			debug.SetGCPercent(400)
		}
		os.Exit(cmd.Main())
	}})
}

// rareGC is the value of GOGC for the commands of tests. The tests run thousands of commands, which
// would otherwise collect garbage for a third of their time.
const rareGC = "400"

// tunedGC is the variable that makes a command of a test collect garbage as often as for a
// user.
const tunedGC = "FORETELL_TEST_TUNED_GC"

// databaseScripts are the scripts that test what a service stores and how its jobs run. They
// also run against a service on PostgreSQL, and against one on PostgreSQL and S3. The other
// scripts test local files, flags, messages and the start of a service, which do not depend on
// the database or the storage.
var databaseScripts = []string{
	"account", "compare", "datasets", "gate", "predict", "prune", "receipt", "replay", "requests", "resume", "run", "series",
}

// localScripts are the scripts whose commands use only local files, but no service and no
// database. They run once.
var localScripts = []string{"check", "check_fix", "known_rows", "score"}

// TestScripts runs each script with the embedded service and against a served one, and some
// scripts against services on PostgreSQL and on S3. The outputs that the script command
// `alike` records must be the same byte for byte. With -short, scripts run only with the
// embedded service, whose client, server and engine are in one process.
func TestScripts(t *testing.T) {
	t.Parallel()
	embedded, served, onPostgres, onS3 := &transcripts{}, &transcripts{}, &transcripts{}, &transcripts{}
	t.Run("embedded", func(t *testing.T) { embedded.runScripts(t, nil, nil) })
	if testing.Short() {
		return
	}
	t.Run("served", func(t *testing.T) { served.runScripts(t, startService(t), nil) })
	t.Run("served-postgres", func(t *testing.T) {
		onPostgres.runScripts(t, startService(t, "--database", testenv.Postgres(t)), databaseScripts)
	})
	t.Run("served-postgres-s3", func(t *testing.T) {
		onS3.runScripts(t, startService(t, "--database", testenv.Postgres(t), "--storage", testenv.S3(t).String()), databaseScripts)
	})
	if t.Failed() || embedded.texts == nil || served.texts == nil { // -run may select one
		return
	}
	if diff := cmp.Diff(embedded.texts, served.texts); diff != "" {
		t.Errorf("a script prints different things (-embedded +served):\n%s", diff)
	}
	for what, other := range map[string]*transcripts{"PostgreSQL": onPostgres, "PostgreSQL and S3": onS3} {
		for name, texts := range other.texts {
			if diff := cmp.Diff(served.texts[name], texts); diff != "" {
				t.Errorf("%s prints different things (-SQLite +%s):\n%s", name, what, diff)
			}
		}
	}
}

// runScripts runs the named scripts against the service s or, if s is nil, with the embedded
// service. If names is nil, it runs all scripts of scriptNames.
func (r *transcripts) runScripts(t *testing.T, s *scriptService, names []string) {
	t.Helper()
	params := testscript.Params{
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: false,
		Setup:               func(env *testscript.Env) error { return setup(env, s) },
		Condition: func(cond string) (bool, error) {
			return cond == "embedded" && s == nil || cond == "served" && s != nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  Statuses,
			"normal": normal,
			"alike":  r.alike,
			"change": change,
			"damage": damage,
			"grow":   grow,
			"latin":  latin,
			"packed": packed,

			"authenticator": authenticator,
		},
	}
	if names == nil {
		names = scriptNames(t, s != nil)
	}
	for _, name := range names {
		params.Files = append(params.Files, filepath.Join("../../testdata/script", name+".txtar"))
	}
	testscript.Run(t, params)
}

// scriptNames returns the names of all scripts. If served is set, it omits localScripts.
func scriptNames(t *testing.T, served bool) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".txtar"); !served || !slices.Contains(localScripts, name) {
			names = append(names, name)
		}
	}
	return names
}

// scriptService is a served service and the flags by which users open its data.
type scriptService struct {
	address string
	flags   []string
}

// startService starts a service for the duration of the test.
func startService(t *testing.T, flags ...string) *scriptService {
	t.Helper()
	dir := t.TempDir()
	_, address := serveAt(t, "127.0.0.1:0", dir, flags...)
	return &scriptService{address, append(flags, "--data-dir", dir)}
}

// serve starts a service for the duration of the test and returns its address and data
// folder.
func serve(t *testing.T) (address, dir string) {
	t.Helper()
	dir = t.TempDir()
	_, address = serveAt(t, "127.0.0.1:0", dir)
	return address, dir
}

// serveAt starts a service at an address. The caller may stop it.
func serveAt(t *testing.T, listen, dir string, more ...string) (service *exec.Cmd, address string) {
	t.Helper()
	return serveWith(t, nil, listen, dir, more...)
}

// serveWith is serveAt with more environment variables.
func serveWith(t *testing.T, env []string, listen, dir string, more ...string) (service *exec.Cmd, address string) {
	t.Helper()
	service = exec.Command("foretell", append([]string{"serve", "--listen", listen, "--data-dir", dir}, more...)...)
	service.Env = append(os.Environ(), env...)
	return service, startListening(t, service)
}

// startListening starts a service and returns the address on which it listens. The caller may stop it.
func startListening(t *testing.T, service *exec.Cmd) (address string) {
	t.Helper()
	stderr, err := service.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if service.ProcessState == nil {
			_ = service.Process.Signal(os.Interrupt)
			_ = service.Wait()
		}
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, after, ok := strings.Cut(lines.Text(), "listening on "); ok {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return after
		}
	}
	t.Fatalf("%s: the service ended before it listened", service)
	return ""
}

// foretellWith returns a function that runs foretell in an environment and returns its output
// without surrounding spaces. If the command fails, the test ends.
func foretellWith(t *testing.T, env []string) func(args ...string) string {
	t.Helper()
	return func(args ...string) string {
		t.Helper()
		cmd := exec.Command("foretell", args...)
		cmd.Env = env
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("foretell %s: %v: %s", args[0], err, stderr.String())
		}
		return strings.TrimSpace(string(out))
	}
}

// setup creates the folders of a script, and an account of the service s.
func setup(env *testscript.Env, s *scriptService) error {
	sets, err := filepath.Abs("../../testdata")
	if err != nil {
		return err
	}
	env.Setenv("SETS", sets)
	env.Setenv("GOGC", rareGC)
	env.Setenv("GORACE", os.Getenv("GORACE")) // options of the race detector
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
	env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, ".data"))
	env.Values[keysSeen{}] = map[string]string{}
	if s == nil {
		// A command that creates its data folder prints the path, so the folder is
		// created here.
		return os.MkdirAll(filepath.Join(env.WorkDir, ".data", "foretell"), 0o700)
	}
	email := strings.ToLower(filepath.Base(env.WorkDir)) + "@example.com"
	if err := addAccount(email, s.flags); err != nil {
		return err
	}
	env.Setenv("TAKEN", strings.TrimPrefix(s.address, "http://"))
	env.Setenv("FORETELL_SERVER", s.address)
	env.Setenv("FORETELL_USERNAME", email)
	env.Setenv("FORETELL_PASSWORD", "a long password")
	token, err := signIn(s.address, email)
	env.Setenv("FORETELL_TOKEN", token) // so that the commands need not log in, which takes 20 ms each time
	return err
}

// Statuses is the script command `exits STATUS COMMAND`, such as `exits 6 foretell check x`.
// It runs a command and checks its exit status. A failing command must print nothing on
// standard output.
func Statuses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARGUMENTS]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exitErr *exec.ExitError
	if errors.As(err, &exitErr) {
		got = exitErr.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// change is the script command `change FILE OLD NEW`. It replaces the text OLD, which must
// occur once in FILE, by NEW.
func change(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: change FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%q is %d times in %s", args[1], n, args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o644))
}

// authenticator is the script command `authenticator VARIABLE FILE [N]`. It sets VARIABLE to
// the code that an authenticator app with the secret in FILE shows now, or N times 30 seconds
// later. If N is negative, it first waits, if necessary, until the current period of 30 seconds lasts
// for at least five more seconds, because the service accepts an earlier code only if it is that of the
// previous period.
func authenticator(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: authenticator VARIABLE FILE [N]")
	}
	later := int64(0)
	if len(args) > 2 {
		var err error
		later, err = strconv.ParseInt(args[2], 10, 64)
		ts.Check(err)
	}
	if end := time.Now().Truncate(30 * time.Second).Add(30 * time.Second); later < 0 && time.Until(end) < 5*time.Second {
		time.Sleep(time.Until(end))
	}
	step := time.Now().Unix()/30 + later
	code, err := auth.TOTP(strings.TrimSpace(ts.ReadFile(args[1]))).Code(step)
	ts.Check(err)
	ts.Setenv(args[0], code)
}

// damage is the script command `damage DIR`. It flips a bit of each stored file in the blobs
// folder DIR.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage DIR")
	}
	paths, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*-*"))
	ts.Check(err)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		ts.Check(err)
		content[len(content)/2] ^= 1
		ts.Check(os.WriteFile(path, content, 0o600))
	}
}

// grow is the script command `grow FILE TIMES NEW`. It repeats the rows of FILE, each with an
// ID of its own, and writes them to NEW.
func grow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: grow FILE TIMES NEW")
	}
	times, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(grown(ts.ReadFile(args[0]), times)), 0o644))
}

// grown returns a table whose rows are repeated, each with an ID of its own.
func grown(table string, times int) string {
	header, rows, _ := strings.Cut(table, "\n")
	var b strings.Builder
	b.WriteString(header + "\n")
	for n := range times {
		for row := range strings.Lines(rows) {
			fmt.Fprintf(&b, "%d-%s", n, row)
		}
	}
	return b.String()
}

// latin is the script command `latin FILE`. It encodes FILE in Latin-1.
func latin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: latin FILE")
	}
	var text []byte
	for _, char := range ts.ReadFile(args[0]) {
		text = append(text, byte(char))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o644))
}
