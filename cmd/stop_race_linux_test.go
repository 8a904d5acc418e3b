package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/exit"
	"foretell/internal/receipt"
)

// TestStopRaceOnTerminal ends a race with Enter or Ctrl-C. The run then predicts with the best
// model so far.
func TestStopRaceOnTerminal(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	source, err := filepath.Abs("../testdata/credit-g")
	if err != nil {
		t.Fatal(err)
	}
	train, blind := filepath.Join(source, "train.csv"), filepath.Join(source, "blind.csv")
	for _, c := range []struct{ name, typed string }{{"enter", "\n"}, {"ctrl_c", "\x03"}} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(s.dir, c.name+".csv")
			p := newTerminal(t)
			command := s.command("run", train, "--blind", blind, "-o", out, "--name", "stop-"+c.name)
			command.Stdin, command.Stdout, command.Stderr = p.slave, p.slave, p.slave
			p.start(t, command)
			p.await(t, "; Enter takes it")
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
