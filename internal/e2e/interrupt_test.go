//go:build unix

package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"foretell/internal/exit"
)

// TestInterrupt stops a race with Ctrl-C as soon as it runs.
func TestInterrupt(t *testing.T) {
	train, err := filepath.Abs("../../testdata/credit-g/train.csv")
	if err != nil {
		t.Fatal(err)
	}
	race := []string{"run", train, "--progress", "json", "--algorithm", "BSEV01,BFIF01"}
	t.Run("an_embedded_race_keeps_its_best_model", func(t *testing.T) {
		env := []string{"HOME=" + t.TempDir()}
		blind, out := strings.Replace(train, "train.csv", "blind.csv", 1), filepath.Join(t.TempDir(), "out.csv")
		began := runUntil(t, env, append(race[:len(race):len(race)], "--blind", blind, "-o", out), `"keptPerformance":0`, syscall.SIGINT)
		if began.code != 130 || began.stdout != "" {
			t.Errorf("exit status %d, printed %q", began.code, began.stdout)
		}
		resumeRun(t, env, began.stderr, out)
		if !strings.Contains(began.stderr, "its best model is kept") {
			t.Errorf("the message does not say that the model is kept: %s", began.stderr)
		}
		if began.took > 10*time.Second {
			t.Errorf("it took %s to stop", began.took)
		}
		models := exec.Command("foretell", "models", "list", "-q")
		models.Env = env
		if out, err := models.Output(); err != nil || len(out) == 0 {
			t.Errorf("models list: %v: %q", err, out)
		}
		// A complete model replaces the incomplete one as the champion.
		for _, args := range [][]string{{"run", train, "--algorithm", "BSIX01", "--effort", "fast", "-q"}, {"models", "get", "train@champion", "--jq", ".seriesVersion"}} {
			command := exec.Command("foretell", args...)
			command.Env = env
			if out, err := command.Output(); err != nil || args[0] == "models" && string(out) != "2\n" {
				t.Errorf("%v: %v: %s", args, err, out)
			}
		}
	})
	t.Run("a_served_race_runs_on", func(t *testing.T) {
		if testing.Short() {
			t.Skip("with the race detector, a cancelled race has no time for its test rows")
		}
		address, dir := serve(t)
		add := exec.Command("foretell", "users", "add", "a@example.com", "--password-stdin", "--data-dir", dir)
		add.Stdin = strings.NewReader("a long password\n")
		if out, err := add.CombinedOutput(); err != nil {
			t.Fatalf("users add: %v: %s", err, out)
		}
		env := []string{
			"HOME=" + t.TempDir(), "FORETELL_SERVER=" + address,
			"FORETELL_USERNAME=a@example.com", "FORETELL_PASSWORD=a long password",
		}
		blind, out := strings.Replace(train, "train.csv", "blind.csv", 1), filepath.Join(t.TempDir(), "out.csv")
		began := runUntil(t, env, append(race[:len(race):len(race)], "--blind", blind, "-o", out, "--require", "accuracy>=0", "--time-limit", "20m"), `"keptPerformance":0`, syscall.SIGTERM)
		if began.code != 143 || began.stdout != "" {
			t.Errorf("exit status %d, printed %q", began.code, began.stdout)
		}
		_, key, ok := strings.Cut(began.stderr, "--resume ")
		if !ok || len(key) < 36 {
			t.Fatalf("the message has no command to continue: %s", began.stderr)
		}
		if !strings.Contains(began.stderr, "`foretell training watch "+key[:36]+"`") {
			t.Errorf("the message has no command to watch the race: %s", began.stderr)
		}
		for _, args := range [][]string{{"training", "get", key[:36], "--fields", "status"}, {"training", "cancel", key[:36]}} {
			command := exec.Command("foretell", args...)
			command.Env = env
			if out, err := command.CombinedOutput(); err != nil || args[1] == "get" && !bytes.Contains(out, []byte("RUNNING")) {
				t.Errorf("%v: %v: %s", args, err, out)
			}
		}
		if messages := resumeRun(t, env, began.stderr, out); !strings.Contains(messages, "the requirement holds") && !strings.Contains(messages, noTimeForTest) {
			t.Errorf("the requirement was not checked: %s", messages)
		}
		predictsLater(t, env, firstRows(t, train, 300), blind)
	})
}

// offeredResume matches the command that continues an interrupted run.
var offeredResume = pattern("`(foretell run [^`]* --resume [0-9a-f-]{36})`")

// noTimeForTest is in the message about a requirement if the race was cancelled and had no time to
// predict its test rows, as on a busy machine.
const noTimeForTest = "not measured: no time for the test rows"

// resumeRun runs the command that an interrupted run has printed in stderr. It checks
// that the command writes the predictions to out, and their receipt. It returns the
// output of the command. A requirement that could not be measured is no failure.
func resumeRun(t *testing.T, env []string, stderr, out string) string {
	t.Helper()
	found := offeredResume().FindStringSubmatch(stderr)
	if found == nil {
		t.Fatalf("the message has no command to continue: %s", stderr)
	}
	command := exec.Command("sh", "-c", found[1])
	command.Env = append(env[:len(env):len(env)], "PATH="+os.Getenv("PATH"))
	messages, err := command.CombinedOutput()
	if err != nil && (exit.Status(command.ProcessState.ExitCode()) != exit.BelowTarget || !bytes.Contains(messages, []byte(noTimeForTest))) {
		t.Fatalf("%s: %v: %s", found[1], err, messages)
	}
	for _, path := range []string{out, out + ".receipt.json"} {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	return string(messages)
}

// predictsLater interrupts a run that reads the training file from a pipe. The run cannot be
// repeated, so it must print a command that waits for the race and then predicts.
func predictsLater(t *testing.T, env []string, train, blind string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "later.csv")
	run := exec.Command("foretell", "run", "-", "--blind", blind, "-o", out, "--name", "piped", "--algorithm", "BSEV01,BFIF01", "--seed", "2", "--progress", "json")
	input, err := os.Open(train)
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	run.Env, run.Stdin = env, input
	began := runCommandUntil(t, run, `"status":"RUNNING"`, syscall.SIGINT)
	_, offer, _ := strings.Cut(began.stderr, "continue with `")
	line, _, ok := strings.Cut(offer, "`")
	line = strings.ReplaceAll(line, `\"`, `"`) // the message is a JSON string
	if !ok || !strings.HasPrefix(line, "foretell predict ") {
		t.Fatalf("the message has no command that predicts: %s", began.stderr)
	}
	command := exec.Command("sh", "-c", line)
	command.Env = append(env[:len(env):len(env)], "PATH="+os.Getenv("PATH"))
	if messages, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", line, err, messages)
	}
	if info, err := os.Stat(out); err != nil || info.Size() == 0 {
		t.Error(err)
	}
}

// TestKilledRun kills a run during its race. The next run must not wait for this race, no
// state may be RUNNING, and a command must be able to resume the race.
func TestKilledRun(t *testing.T) {
	t.Parallel()
	train, blind := firstRows(t, "../../testdata/credit-g/train.csv", 150), firstRows(t, "../../testdata/credit-g/blind.csv", 50)
	env := []string{"HOME=" + t.TempDir()}
	out := filepath.Join(t.TempDir(), "out.csv")
	race := []string{"run", train, "--blind", blind, "-o", out, "--progress", "json", "--algorithm", "BSEV01"}
	if began := runUntil(t, env, race, `"status":"RUNNING"`, syscall.SIGKILL); began.code != -1 {
		t.Fatalf("exit status %d", began.code)
	}
	foretell := foretellWith(t, env)
	const states = `.[] | [.trainingJobKey, .status, .interrupted] | join(" ")`
	orphan, state, _ := strings.Cut(foretell("training", "list", "--jq", states), " ")
	if state != "PENDING true" {
		t.Errorf("the race of the killed run is %q", state)
	}
	if got := foretell("training", "list", "--all", "--fields", "status", "-q"); strings.Contains(got, "RUNNING") {
		t.Errorf("states after the kill: %s", got)
	}
	foretell("run", train, "--algorithm", "BSIX01")
	if got := foretell("training", "list", "--jq", states); !strings.Contains(got, orphan+" PENDING true") {
		t.Errorf("after another run: %s", got)
	}
	foretell(append(race, "--resume", orphan)...)
	if got := foretell("training", "get", orphan, "--fields", "status,modelKey"); strings.Contains(got, "PENDING") || len(got) < 36 {
		t.Errorf("resumed: %s", got)
	}
	if info, err := os.Stat(out); err != nil || info.Size() == 0 {
		t.Errorf("the predictions: %v", err)
	}
	if got := foretell("training", "list", "--jq", states); strings.Contains(got, "true") {
		t.Errorf("at the end: %s", got)
	}
}

// TestHungUp closes the terminal of a run. This can cause two SIGHUP signals.
func TestHungUp(t *testing.T) {
	train, err := filepath.Abs("../../testdata/credit-g/train.csv")
	if err != nil {
		t.Fatal(err)
	}
	// The run would inherit that SIGHUP is ignored, as under nohup. It does not if this process handles
	// the signal.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	env := []string{"HOME=" + t.TempDir()}
	began := runUntil(t, env, []string{"run", train, "--progress", "json", "--algorithm", "BSEV01"}, `"keptPerformance":0`, syscall.SIGHUP, syscall.SIGHUP)
	if began.code != 129 || !strings.Contains(began.stderr, "its best model is kept") {
		t.Errorf("exit status %d: %s", began.code, began.stderr)
	}
}

// TestInterruptedUpload stops an upload that the service has not answered.
func TestInterruptedUpload(t *testing.T) {
	const key = "0b5c1f0e-5f0c-4a3e-9d57-2f6f0a1c9e11"
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodGet:
			fmt.Fprint(w, `{"datasets":[],"offset":0,"limit":1000,"total":0}`)
		case strings.HasSuffix(r.URL.Path, "/data"):
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		default:
			fmt.Fprintf(w, `{"datasetKey":%q,"status":"PENDING"}`, key)
		}
	}))
	defer service.Close()
	env := []string{"HOME=" + t.TempDir(), "FORETELL_SERVER=" + service.URL, "FORETELL_TOKEN=t"}
	// The label is not the last column: it is the column that the blind file lacks.
	dir := t.TempDir()
	train, blind := filepath.Join(dir, "train.csv"), filepath.Join(dir, "blind.csv")
	for path, columns := range map[string][2]string{train: {"churned,weight,size", "yes,%d,1\nno,%d,2\n"}, blind: {"weight,size", "%d,1\n%d,2\n"}} {
		text := columns[0] + "\n"
		for i := range 10 {
			text += fmt.Sprintf(columns[1], 100+2*i, 101+2*i)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	began := runUntil(t, env, []string{"run", train, "--blind", blind, "--progress", "json"}, `"event":"transfer"`, syscall.SIGINT)
	if began.code != 130 || began.stdout != "" {
		t.Errorf("exit status %d, printed %q", began.code, began.stdout)
	}
	if !strings.Contains(began.stderr, "foretell datasets upload "+key+" "+train+" --label churned --id - && foretell run "+train+" --blind "+blind) {
		t.Errorf("the message has no command to continue: %s", began.stderr)
	}
}

// TestInterruptedPlan stops run --plan, which must leave no file behind.
func TestInterruptedPlan(t *testing.T) {
	table, err := os.ReadFile("../../testdata/credit-g/train.csv")
	if err != nil {
		t.Fatal(err)
	}
	path, temp := filepath.Join(t.TempDir(), "train.csv"), t.TempDir()
	if err := os.WriteFile(path, []byte(grown(string(table), 3)), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + t.TempDir(), "TMPDIR=" + temp}
	began := runUntil(t, env, []string{"run", path, "--plan", "--progress", "json"}, `"event":"race"`, syscall.SIGINT)
	if began.code != 130 || began.stdout != "" {
		t.Errorf("exit status %d, printed %q", began.code, began.stdout)
	}
	if !strings.Contains(began.stderr, "interrupted while planning: nothing was kept") {
		t.Errorf("messages: %s", began.stderr)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// ended is the exit status and the output of a command after a signal.
type ended struct {
	code           int
	stdout, stderr string
	took           time.Duration
}

// runUntil starts a command and sends it signals once a line of its standard error
// contains text.
func runUntil(t *testing.T, env, args []string, text string, signals ...syscall.Signal) ended {
	t.Helper()
	command := exec.Command("foretell", args...)
	command.Env = env
	return runCommandUntil(t, command, text, signals...)
}

// runCommandUntil is runUntil for a prepared command.
func runCommandUntil(t *testing.T, command *exec.Cmd, text string, signals ...syscall.Signal) ended {
	t.Helper()
	defer time.AfterFunc(3*time.Minute, func() { _ = command.Process.Kill() }).Stop()
	var sent time.Time
	stdout, messages, err := follow(t, command, func(line string) {
		if sent.IsZero() && strings.Contains(line, text) {
			sent = time.Now()
			for _, signal := range signals {
				if err := command.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	var exitErr *exec.ExitError
	if err != nil && !errors.As(err, &exitErr) {
		t.Fatal(err)
	}
	return ended{command.ProcessState.ExitCode(), stdout, messages, time.Since(sent)}
}

// follow runs a command, calls each for every line of its standard error, and returns its
// output and error.
func follow(t *testing.T, command *exec.Cmd, each func(line string)) (stdout, stderr string, err error) {
	t.Helper()
	var printed bytes.Buffer
	command.Stdout = &printed
	pipe, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var messages strings.Builder
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		messages.WriteString(lines.Text() + "\n")
		each(lines.Text())
	}
	err = command.Wait()
	return printed.String(), messages.String(), err
}

// TestInterruptedInput stops commands that wait for more of their input. A signal arrives twice, as
// from timeout(1).
func TestInterruptedInput(t *testing.T) {
	for _, args := range []string{"check -", "users add a@example.com --password-stdin", "users passwd a@example.com --password-stdin", "api POST /api/v1/datasets --input -"} {
		t.Run(args, func(t *testing.T) {
			source, input, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer input.Close() // closed after the test, so that the input does not end
			expectInterrupted(t, args, source, 130, func(command *exec.Cmd) error {
				_, err := input.WriteString(strings.Repeat("a,b ", 1<<18)) // more than the buffer of a pipe, so the command is reading
				return errors.Join(err, source.Close(), command.Process.Signal(syscall.SIGINT), command.Process.Signal(syscall.SIGINT))
			})
		})
	}
}

// TestInterruptedPipe stops commands that read a pipe into which nobody writes.
func TestInterruptedPipe(t *testing.T) {
	for _, args := range []string{"restore PIPE", "restore PIPE --verify", "replay PIPE"} {
		t.Run(args, func(t *testing.T) {
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			expectInterrupted(t, strings.ReplaceAll(args, "PIPE", pipe), nil, 143, func(command *exec.Cmd) error {
				input, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the command opens the pipe
				if err != nil {
					return err
				}
				t.Cleanup(func() { _ = input.Close() })
				return command.Process.Signal(syscall.SIGTERM)
			})
		})
	}
}

// expectInterrupted runs a command until the function interrupt stops it, and checks its exit status.
func expectInterrupted(t *testing.T, args string, stdin *os.File, status int, interrupt func(command *exec.Cmd) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var stderr bytes.Buffer
	command := exec.CommandContext(ctx, "foretell", strings.Fields(args)...)
	command.Env, command.Stderr = []string{"HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}, &stderr
	if stdin != nil {
		command.Stdin = stdin
	}
	if err := errors.Join(command.Start(), interrupt(command)); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // the exit status is checked below
	if code := command.ProcessState.ExitCode(); code != status || !strings.Contains(stderr.String(), "interrupted before it finished") {
		t.Errorf("exit status %d: %s", code, &stderr)
	}
}
