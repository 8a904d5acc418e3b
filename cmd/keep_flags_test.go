package cmd

import (
	"testing"

	"foretell/internal/cli"
)

// TestKeepFlags adds the flags of the current command to its hints.
func TestKeepFlags(t *testing.T) {
	f := &cli.Factory{}
	run, _, err := NewRootCmd(f).Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.ParseFlags([]string{"--delimiter", ";", "--label", "a b", "--drop", `"town, county",age`}); err != nil {
		t.Fatal(err)
	}
	f.Running = run
	for _, c := range []struct{ name, in, want string }{
		{"as_it_was_read", "see `foretell check train.csv`", "see `foretell check train.csv --label 'a b' --drop '\"town, county\",age' --delimiter ';'`"},
		{"a_result_is_plain_csv", "`foretell score out.csv ANSWERS.csv`", "`foretell score out.csv ANSWERS.csv --label 'a b'`"},
		{"what_is_there_stays", "`foretell check train.csv --label y`", "`foretell check train.csv --label y --drop '\"town, county\",age' --delimiter ';'`"},
		{"help_takes_none", "`foretell check --help`", "`foretell check --help`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := f.RepeatFlagsInCommands(c.in); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// TestDropHint checks that a hint to drop a column quotes a name that has a comma, and that a hint to
// omit --drop removes all its values.
func TestDropHint(t *testing.T) {
	f := &cli.Factory{Args: []string{"run", "train.csv", "--drop", "age"}}
	run, _, err := NewRootCmd(f).Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	f.Running = run
	if got, want := f.CommandWith("drop", "town, county"), `foretell run train.csv --drop age --drop '"town, county"'`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := f.CommandWith("drop", ""), "foretell run train.csv"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
