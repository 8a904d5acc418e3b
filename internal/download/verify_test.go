package download

import (
	"os"
	"path/filepath"
	"testing"

	"foretell/internal/receipt"
	"foretell/internal/term"
)

// TestRecreateHint checks that the command of the hint has the flags with which the blind file was
// read, and finds the files next to the result.
func TestRecreateHint(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"blind.csv", "my.model"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rec := &receipt.Receipt{
		Blind: &receipt.Input{Name: "blind.csv"}, Model: receipt.Model{File: &receipt.Input{Name: "my.model"}},
		Options: &receipt.Options{ID: "ref", GivenID: "ref", Delimiter: ";", Encoding: "latin-1", SkipRows: 2, Drop: []string{"a, b", "c"}, NoHeader: true},
	}
	got := RecreateHint(rec, filepath.Join(folder, "r.csv"))
	at := func(name string) string { return term.ShellQuote(filepath.Join(folder, name)) }
	want := "predict again with `foretell predict " + at("blind.csv") + " --model " + at("my.model") + " --id ref --delimiter " + term.ShellQuote(";") +
		" --encoding latin-1 --drop " + term.ShellQuote(`"a, b",c`) + " --skip-rows 2 --no-header-row -o " + at("r.csv") + " --force`"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
