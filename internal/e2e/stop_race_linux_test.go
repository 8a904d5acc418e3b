package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"foretell/internal/exit"
	"foretell/internal/receipt"
)

// writeLongRace writes train.csv, a training file with noisy labels, and blind.csv. A race on
// them takes longer than a person needs to stop it.
func writeLongRace(t *testing.T, s *stage) {
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
	for file, text := range map[string]string{"train.csv": labelled.String(), "blind.csv": unlabelled.String()} {
		if err := os.WriteFile(filepath.Join(s.dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStopRaceOnTerminal ends a race with Enter or, if there is no service, with Ctrl-C. The
// run then predicts with the best model so far. With a service, the race continues after
// Ctrl-C, and the printed command predicts with its model.
func TestStopRaceOnTerminal(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		s := newStage(t)
		writeLongRace(t, s)
		t.Run("enter", func(t *testing.T) { stopRace(t, s, "enter", "\n") })
		t.Run("ctrl_c", func(t *testing.T) { stopRace(t, s, "ctrl_c", "\x03") })
	})
	t.Run("service", func(t *testing.T) {
		s := newStage(t)
		address := s.serve(t)
		if out := s.pipe(t, "a long password\n", "users", "add", "a@example.com", "--password-stdin"); out.exit != exit.OK {
			t.Fatalf("users add: %+v", out)
		}
		s.env = append(s.env, "FORETELL_SERVER="+address, "FORETELL_USERNAME=a@example.com", "FORETELL_PASSWORD=a long password")
		writeLongRace(t, s)
		t.Run("enter", func(t *testing.T) { stopRace(t, s, "enter", "\n") })
		t.Run("ctrl_c", func(t *testing.T) { leaveRace(t, s) })
	})
}

// serve starts a service with the data of the stage and returns its address.
func (s *stage) serve(t *testing.T) string {
	t.Helper()
	return startListening(t, s.command("serve", "--listen", "127.0.0.1:0"))
}

// typeInRace starts a run on the tables of writeLongRace, types text as soon as the race has a
// model, and returns the exit status and what the run printed.
func (s *stage) typeInRace(t *testing.T, name, text string) (status exit.Status, shown string) {
	t.Helper()
	p := newTerminal(t)
	command := s.command("run", "train.csv", "--blind", "blind.csv", "-o", name+".csv", "--name", "stop-"+name)
	command.Stdin, command.Stdout, command.Stderr = p.slave, p.slave, p.slave
	p.start(t, command)
	p.await(t, "; Enter ends the race")
	if _, err := p.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return p.finish(t, command)
}

func stopRace(t *testing.T, s *stage, name, text string) {
	t.Helper()
	status, shown := s.typeInRace(t, name, text)
	if status != exit.OK || !strings.Contains(shown, "250, verified") || !strings.Contains(shown, "the race was cancelled") {
		t.Errorf("exit %d: %q", status, shown)
	}
	if r := s.receipt(t, name); r.Race == nil || r.Race.Outcome != "cancelled" {
		t.Errorf("the receipt says %+v", r.Race)
	}
}

func leaveRace(t *testing.T, s *stage) {
	t.Helper()
	status, shown := s.typeInRace(t, "left", "\x03")
	shown = strings.Join(strings.Fields(shown), " ") // the terminal may have wrapped the message
	_, key, found := strings.Cut(shown, "`foretell training watch ")
	again := regexp.MustCompile("`(foretell run [^`]* --resume [0-9a-f-]{36})`").FindStringSubmatch(shown)
	if status != exit.Interrupted || !found || again == nil {
		t.Fatalf("exit %d: %q", status, shown)
	}
	if out := s.pipe(t, "", "training", "get", key[:36], "--fields", "status"); !strings.Contains(out.stdout, "RUNNING") {
		t.Errorf("the race does not run on: %+v", out)
	}
	if out := s.pipe(t, "", "training", "cancel", key[:36]); out.exit != exit.OK {
		t.Errorf("cancel: %+v", out)
	}
	words := strings.Fields(again[1])
	if out := s.pipe(t, "", words[1:]...); out.exit != exit.OK || !strings.Contains(out.stderr, "250, verified") {
		t.Errorf("%s: %+v", again[1], out)
	}
	s.receipt(t, "left")
}

// receipt reads the receipt of the result with this name.
func (s *stage) receipt(t *testing.T, name string) (r receipt.Receipt) {
	t.Helper()
	text, err := os.ReadFile(receipt.Path(filepath.Join(s.dir, name+".csv")))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}
