package cmd

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/exit"
	"foretell/internal/receipt"
)

// writeLongRace writes a training file with noisy labels and a blind file. A race on them
// takes longer than a person needs to stop it.
func writeLongRace(t *testing.T, train, blind string) {
	t.Helper()
	var labelled, unlabelled strings.Builder
	labelled.WriteString("id,a,b,c,d,label\n")
	unlabelled.WriteString("id,a,b,c,d\n")
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 4000 {
		a, b, c, d := random.Float64(), random.Float64(), random.Float64(), random.Float64()
		fmt.Fprintf(&labelled, "%d,%.4f,%.4f,%.4f,%.4f,%t\n", i, a, b, c, d, a*b+c*d+random.NormFloat64()/3 > 0.5)
		if i < 250 {
			fmt.Fprintf(&unlabelled, "%d,%.4f,%.4f,%.4f,%.4f\n", i, d, c, b, a)
		}
	}
	for file, text := range map[string]string{train: labelled.String(), blind: unlabelled.String()} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStopRaceOnTerminal ends a race with Enter or Ctrl-C. The run then predicts with the best
// model so far.
func TestStopRaceOnTerminal(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) { stopRaces(t, newStage(t)) })
	t.Run("service", func(t *testing.T) {
		s := newStage(t)
		address := s.serve(t)
		if out := s.pipe(t, "a long password\n", "users", "add", "a@example.com", "--password-stdin"); out.exit != exit.OK {
			t.Fatalf("users add: %+v", out)
		}
		s.env = append(s.env, "FORETELL_SERVER="+address, "FORETELL_USERNAME=a@example.com", "FORETELL_PASSWORD=a long password")
		stopRaces(t, s)
	})
}

// serve starts a service with the data of the stage and returns its address.
func (s *stage) serve(t *testing.T) string {
	t.Helper()
	service := s.command("serve", "--listen", "127.0.0.1:0")
	stderr, err := service.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = service.Process.Signal(os.Interrupt)
		_ = service.Wait()
	})
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if _, address, ok := strings.Cut(lines.Text(), "listening on "); ok {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return address
		}
	}
	t.Fatal("the service ended before it listened")
	return ""
}

func stopRaces(t *testing.T, s *stage) {
	t.Helper()
	train, blind := filepath.Join(s.dir, "train.csv"), filepath.Join(s.dir, "blind.csv")
	writeLongRace(t, train, blind)
	for _, c := range []struct{ name, typed string }{{"enter", "\n"}, {"ctrl_c", "\x03"}} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(s.dir, c.name+".csv")
			p := newTerminal(t)
			command := s.command("run", train, "--blind", blind, "-o", out, "--name", "stop-"+c.name)
			command.Stdin, command.Stdout, command.Stderr = p.slave, p.slave, p.slave
			p.start(t, command)
			p.await(t, "; Enter ends the race")
			if _, err := p.WriteString(c.typed); err != nil {
				t.Fatal(err)
			}
			status, shown := p.finish(t, command)
			if status != exit.OK || !strings.Contains(shown, "250, verified") || !strings.Contains(shown, "the race was cancelled") {
				t.Errorf("exit %d: %q", status, shown)
			}
			text, err := os.ReadFile(receipt.Path(out))
			if err != nil {
				t.Fatal(err)
			}
			var r receipt.Receipt
			if err := json.Unmarshal(text, &r); err != nil || r.Race == nil || r.Race.Outcome != "cancelled" {
				t.Errorf("%v: the receipt says %+v", err, r.Race)
			}
		})
	}
}
