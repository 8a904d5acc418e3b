package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"foretell/internal/exit"
	"foretell/internal/testenv"
)

// terminal is a pseudo-terminal. Bytes written to it are typed; bytes read from it are shown.
type terminal struct {
	*os.File
	slave *os.File
	mu    sync.Mutex
	shown bytes.Buffer
	news  chan struct{}
	// exited is closed when the command has ended, and ended when all of its output is in shown.
	exited, ended chan struct{}
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		testenv.SkipWithout(t, "terminal", err)
	}
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err := errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0),
		unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200})); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &terminal{File: master, slave: slave, news: make(chan struct{}, 1), exited: make(chan struct{}), ended: make(chan struct{})}
	go p.read()
	t.Cleanup(func() {
		_ = p.slave.Close() // may be closed
		_ = p.Close()
	})
	return p
}

// read collects the output until the command has ended.
func (p *terminal) read() {
	defer close(p.ended)
	chunk := make([]byte, 4096)
	for {
		n, err := p.Read(chunk)
		p.mu.Lock()
		p.shown.Write(chunk[:n])
		p.mu.Unlock()
		select {
		case p.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// await waits until text is shown. The test fails if the command ends before that.
func (p *terminal) await(t *testing.T, text string) {
	t.Helper()
	for {
		p.mu.Lock()
		shown := p.shown.String()
		p.mu.Unlock()
		if strings.Contains(shown, text) {
			return
		}
		select {
		case <-p.news:
		case <-p.ended:
			t.Fatalf("%q is never shown: %q", text, shown)
		}
	}
}

// echoes reports whether the terminal echoes input.
func (p *terminal) echoes(t *testing.T) bool {
	t.Helper()
	var state *unix.Termios
	conn, err := p.slave.SyscallConn() // unlike Fd, it may be used while start closes the file
	if err == nil {
		var ioctlErr error
		err = conn.Control(func(fd uintptr) { state, ioctlErr = unix.IoctlGetTermios(int(fd), unix.TCGETS) })
		err = errors.Join(err, ioctlErr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// finish waits for a command and returns its status and its output.
func (p *terminal) finish(t *testing.T, command *exec.Cmd) (exit.Status, string) {
	t.Helper()
	<-p.exited
	<-p.ended
	return exit.Status(command.ProcessState.ExitCode()), p.shown.String()
}

// start starts a command with the terminal as its controlling terminal.
func (p *terminal) start(t *testing.T, command *exec.Cmd) {
	t.Helper()
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = command.Wait() // the exit status is used instead of the error
		_ = p.slave.Close()
		close(p.exited)
	}()
}

// compare checks that a command has the same rows on a terminal as in a pipe, and that --json
// prints the same bytes.
func (s *stage) compare(t *testing.T, pipe string, args ...string) {
	t.Helper()
	show := func(args ...string) string {
		p := newTerminal(t)
		command := s.command(args...)
		command.Stdin, command.Stdout, command.Stderr = p.slave, p.slave, io.Discard
		p.start(t, command)
		_, shown := p.finish(t, command)
		return strings.ReplaceAll(shown, "\r\n", "\n")
	}
	sameRows(t, args, pipe, show(args...))
	if strings.Contains(strings.Join(args, " "), "--") {
		return
	}
	args = append(args, "--json")
	here, there := s.pipe(t, "", args...).stdout, show(args...)
	if signed.ReplaceAllString(here, "") != signed.ReplaceAllString(there, "") {
		t.Errorf("%v prints %q on a terminal, %q in a pipe", args, there, here)
	}
}

// TestTerminal runs commands that prompt on a terminal, and answers the prompts.
func TestTerminal(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if got := s.pipe(t, "", "datasets", "create", "shop", "train.csv"); got.exit != exit.OK {
		t.Fatal(got.stderr)
	}
	open, many, series := "size,survived,port\n", "size,town,rooms\n", "row,code,size,survived,port\n"
	for i := range 120 {
		series += fmt.Sprintf("%d,t%d,%d.5,%d,%c\n", i+1, i, i*7%40, i/2%2, "SC"[i%2])
		open += fmt.Sprintf("%d.5,%d,%c\n", i*7%40, i/2%2, "SCQ"[i%3])
		many += fmt.Sprintf("%d.5,Ulm,%d\n", i*7%40, 100+i%60)
	}
	for name, text := range map[string]string{"open.csv": open, "many.csv": many, "series.csv": series} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.pipe(t, "", "run", "series.csv", "--label", "port", "--id", "code", "--algorithm", "BSIX01", "-q"); got.exit != exit.OK {
		t.Fatal(got.stderr)
	}
	type answer struct{ question, typed string }
	const which = "Which one? 1 to 2, or a name [1]"
	for _, c := range []struct {
		name, args string
		answers    []answer
		exit       exit.Status
		says       string
	}{
		{"a_label_by_its_number", "check open.csv", []answer{{which, "2\n"}}, exit.OK, "label: port (as answered; 3 classes)"},
		{"a_label_by_its_name", "check open.csv", []answer{{which, "size\n"}}, exit.OK, "label: size (as answered; 40 classes)"},
		{"the_first_label", "check open.csv", []answer{{which, "\n"}}, exit.OK, "label: survived (as answered; 2 classes)"},
		{"a_label_is_asked_once", "run series.csv --algorithm BSIX01", []answer{{which, "2\n\x04"}}, exit.OK, "ID: code · label: port (as answered; 2 classes)"},
		{"no_label", "check open.csv", []answer{{which, "9\n"}, {`"9" is neither`, "\x03"}}, exit.Interrupted, "neither a number from 1 to 2 nor the name of a column"},
		{"numbers_are_no_classes", "datasets create many many.csv", []answer{{"Continue with 60 numbers as classes? [y/N]", "n\n"}}, exit.Usage, "cancelled: not confirmed"},
		{"a_no_changes_nothing", "datasets delete shop", []answer{{"predictions? [y/N]", "n\n"}}, exit.Usage, "cancelled: not confirmed"},
		{"ctrl_d_changes_nothing", "datasets delete shop", []answer{{"predictions? [y/N]", "\x04"}}, exit.Usage, "cancelled: not confirmed"},
		{"ctrl_d_is_no_label", "check open.csv", []answer{{which, "\x04"}}, exit.Usage, "the input ended before the answer to the prompt"},
		{"passwords_that_differ", "users passwd a@example.com", []answer{{"Password:", "a long password\n"}, {"Repeat the password:", "another one\n"}}, exit.Usage, "the passwords do not match"},
		{"a_model_is_not_shown", "models export shop -o -", nil, exit.Usage, "a model file is binary"},
		{"a_backup_is_not_shown", "backup -", nil, exit.Usage, "a backup cannot be printed on a terminal"},
		{"ctrl_c_at_a_question", "datasets delete shop", []answer{{"predictions? [y/N]", "\x03"}}, exit.Interrupted, "the command was interrupted before it finished"},
		{"a_password_is_not_shown", "users passwd a@example.com", []answer{{"Password:", "a long password\n"}, {"Repeat the password:", "a long password\n"}}, exit.NotFound, "a@example.com"},
		{"a_yes_deletes", "datasets delete shop", []answer{{"predictions? [y/N]", "y\n"}}, exit.OK, "datasetKey"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newTerminal(t)
			command := s.command(strings.Fields(c.args)...)
			command.Stdin, command.Stdout, command.Stderr = p.slave, p.slave, p.slave
			p.start(t, command)
			for _, a := range c.answers {
				p.await(t, a.question)
				for hidden := strings.HasSuffix(a.question, ":"); hidden && p.echoes(t); {
					runtime.Gosched() // wait for the question
				}
				if _, err := p.WriteString(a.typed); err != nil {
					t.Fatal(err)
				}
			}
			exitErr, shown := p.finish(t, command)
			if exitErr != c.exit || !strings.Contains(shown, c.says) {
				t.Errorf("exit %d: %q", exitErr, shown)
			}
			if strings.Contains(shown, "a long password") {
				t.Errorf("the password is shown: %q", shown)
			}
		})
	}
}
