package model

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/term"
)

// TestListsFit prints models on terminals of 100, 60 and 40 columns. No name or number may be
// truncated. Columns that do not fit must follow below.
func TestListsFit(t *testing.T) {
	model := client.SeriesModel{ModelEntry: api.ModelEntry{
		ModelKey: "0123abcd-0000-4000-8000-000000000000", Algorithm: "BFIF01", Champion: true,
		AchievedPerformance: api.Decimal{Value: 0.75}, CreatedOn: "2026-11-22T12:00:00Z",
		ModelExtensions: api.ModelExtensions{
			Series: "customers", SeriesVersion: 12,
			TestPerformance: new(0.7333), TestInterval: &api.Interval{Low: 0.65, High: 0.8},
		},
	}}
	for columns, want := range map[string]string{
		"100": "key       series     version  algorithm      achieved                test  champion  created\n" +
			"0123abcd  customers       12  BFIF01 forest    0.7500  0.7333 (0.65–0.80)  true      5 minutes ago\n",
		"60": "key       series      v  algori…   valid    test  *  created\n" +
			"0123abcd  customers  12  BFIF01   0.7500  0.7333  *  5 min\n",
		"40": "key       series      v  algorithm\n0123abcd  customers  12  BFIF01\n\n" +
			"key        valid    test  *  created\n0123abcd  0.7500  0.7333  *  5 min\n",
	} {
		o, out := listsTo(t, columns)
		if err := cli.PrintList(o, []client.SeriesModel{model}, modelListFields...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%s columns (-want +got):\n%s", columns, diff)
		}
	}
}

// TestSizesHaveUnits checks that each size in bytes has a unit on a terminal.
func TestSizesHaveUnits(t *testing.T) {
	o, out := listsTo(t, "80")
	sizes := struct {
		Bytes        int64 `json:"bytes"`
		DatasetBytes int64 `json:"datasetBytes"`
	}{515_300, 29_268}
	if err := cli.PrintItem(o, sizes, "bytes", "datasetBytes"); err != nil {
		t.Fatal(err)
	}
	if want := "bytes         515.3 kB\ndatasetBytes  29.3 kB\n"; out.String() != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

// TestEmptyList checks that an empty list prints a hint on a terminal, instead of only a
// header.
func TestEmptyList(t *testing.T) {
	o, out := listsTo(t, "80")
	o.EmptyHint = cli.FirstRunHint
	notes := new(bytes.Buffer)
	o.Factory.Console.Err = notes
	if err := cli.PrintList(o, []client.SeriesModel{}, modelListFields...); err != nil {
		t.Fatal(err)
	}
	if want := "none yet: " + cli.FirstRunHint + "\n"; out.Len() > 0 || notes.String() != want {
		t.Errorf("%q and %q, want only %q", out, notes, want)
	}
	o.Factory.Console.OutTerminal = false
	if err := cli.PrintList(o, []client.SeriesModel{}, modelListFields...); err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(modelListFields, "\t") + "\n"; out.String() != want {
		t.Errorf("%q in a pipe, want %q", out, want)
	}
}

// listsTo returns the output of a list command on a terminal with the given columns, and the
// buffer that receives its text. The current time is five minutes past noon.
func listsTo(t *testing.T, columns string) (*cli.Output, *bytes.Buffer) {
	t.Helper()
	f := &cli.Factory{Console: consoleOf(t, columns), Env: func(name string) string { return map[string]string{"HOME": t.TempDir()}[name] }}
	f.Now = func() time.Time { return time.Date(2026, 11, 22, 12, 5, 0, 0, time.UTC) }
	out := new(bytes.Buffer)
	f.Console.Out = out
	cmd := &cobra.Command{}
	return &cli.Output{Factory: f, Cmd: cmd}, out
}

// consoleOf returns the console of a terminal with the given columns.
func consoleOf(t *testing.T, columns string) *term.Console {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = null.Close() })
	c := term.OpenConsole(null, null, null, func(name string) string { return map[string]string{"COLUMNS": columns}[name] }, "never")
	c.OutTerminal, c.ErrTerminal = true, true
	return c
}
