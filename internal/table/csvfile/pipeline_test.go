package csvfile

import (
	"fmt"
	"strings"
	"testing"
)

// faultyWorker panics in one of its methods, in the chunk that has the given text.
type faultyWorker struct{ inParse, inCommit string }

func (w faultyWorker) Parse(c *Chunk) error {
	if w.inParse != "" && strings.Contains(string(c.Text), w.inParse) {
		panic("broken")
	}
	return nil
}

func (w faultyWorker) Commit(c *Chunk) error {
	if w.inCommit != "" && strings.Contains(string(c.Text), w.inCommit) {
		panic("broken")
	}
	return nil
}

// TestPanicOfWorker checks that a panic of one worker ends the others, and that the caller can
// recover it.
func TestPanicOfWorker(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&rows, "%d,x%d\n", i, i)
	}
	for _, w := range []faultyWorker{{inParse: "x0\n"}, {inParse: "x500\n"}, {inCommit: "x0\n"}, {inCommit: "x500\n"}} {
		table, err := OpenTable(NewReader(strings.NewReader("id,a\n"+rows.String()), ','))
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if reason := fmt.Sprint(recover()); reason != "broken" {
					t.Errorf("%+v: recovered %s", w, reason)
				}
			}()
			t.Errorf("%+v: no panic, error %v", w, table.RunPipeline(t.Context(), 4, 100, func() ChunkWorker { return w }))
		}()
	}
}
