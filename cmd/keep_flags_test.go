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
		{"a_report_reads_no_file", "see `foretell models report KEY`", "see `foretell models report KEY`"},
		{"but_that_of_blind", "see `foretell models report KEY --blind b.csv`", "see `foretell models report KEY --blind b.csv --label 'a b' --drop '\"town, county\",age' --delimiter ';'`"},
		{"a_name_with_separators", "`foretell check 'R && D/a`b.csv' && foretell score o.csv a.csv`, then `foretell check c.csv --id x`", "`foretell check 'R && D/a`b.csv' --label 'a b' --drop '\"town, county\",age' --delimiter ';' && foretell score o.csv a.csv --label 'a b'`, then `foretell check c.csv --id x --label 'a b' --drop '\"town, county\",age' --delimiter ';'`"},
		{"before_the_arguments_that_are_not_flags", "`foretell score -- -o.csv a.csv`", "`foretell score --label 'a b' -- -o.csv a.csv`"},
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

// TestKeepService checks that a hint selects the same database and stored files as the current
// command, and that it has no password.
func TestKeepService(t *testing.T) {
	for _, c := range []struct{ name, flag, value, in, want string }{
		{"database", "database", "postgres://ann@db.example.org/foretell", "`foretell users list`", "`foretell users list --database postgres://ann@db.example.org/foretell`"},
		{"no_database", "database", "", "`foretell users list`", "`foretell users list --database ''`"},
		{"password", "database", "postgres://ann:hunter2@db.example.org/foretell?sslmode=disable", "`foretell users list`", "`foretell users list --database 'postgres://ann:PASSWORD@db.example.org/foretell?sslmode=disable'`"},
		{"password_parameter", "database", "postgres://db.example.org/foretell?password=hunter2", "`foretell users list`", "`foretell users list --database 'postgres://db.example.org/foretell?password=PASSWORD'`"},
		{"malformed", "database", "postgres://ann:hun%ter2@db.example.org/foretell", "`foretell users list`", "`foretell users list --database URL`"},
		{"storage", "storage", "s3://foretell/prod", "`foretell users list`", "`foretell users list --storage s3://foretell/prod`"},
		{"storage_of_tokens_is_another_flag", "storage", "s3://foretell/prod", "`foretell login`", "`foretell login`"},
		{"login_has_no_database", "database", "postgres://ann@db.example.org/foretell", "`foretell login`", "`foretell login`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &cli.Factory{}
			add, _, err := NewRootCmd(f).Find([]string{"users", "add"})
			if err != nil {
				t.Fatal(err)
			}
			if err := add.ParseFlags([]string{"--" + c.flag, c.value}); err != nil {
				t.Fatal(err)
			}
			f.Running = add
			if got := f.RepeatFlagsInCommands(c.in); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}
