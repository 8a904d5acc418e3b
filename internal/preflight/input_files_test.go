package preflight

import (
	"testing"

	"foretell/internal/receipt"
)

func TestStem(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"a/data.csv.gz": "data", "DATA.CSV": "DATA", "Data.Csv.GZ": "Data", ".csv": ".csv", "x": "x"} {
		if got := (&InputTable{args: []string{name}, Paths: []string{name}}).Stem(); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestShellArgument quotes names that look like flags.
func TestShellArgument(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"a.csv": "a.csv", "-odd $x.csv": "'./-odd $x.csv'", "-": "-", receipt.StdinName: "-", receipt.PipeName: "-"} {
		if got := ShellArgument(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
