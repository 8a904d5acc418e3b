package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// validateHelpArgs makes `help` of a command that is not there a wrong use, as the
// command itself is.
func validateHelpArgs(root *cobra.Command) {
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.Run = nil
	help.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		cmd, _, err := root.Find(args)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found []string
		for _, child := range cmd.Commands() {
			if child.IsAvailableCommand() || child.IsAdditionalHelpTopicCommand() {
				found = append(found, cobra.CompletionWithDesc(child.Name(), child.Short))
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
	help.RunE = func(_ *cobra.Command, args []string) error {
		cmd, rest, err := root.Find(args)
		switch {
		case err != nil:
			return usageErrorf("%w", err)
		case len(rest) > 0:
			return runGroup(cmd, rest)
		}
		return cmd.Help()
	}
}

// newHelpTopics returns the pages of `help` that are about no single command.
func newHelpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "quickstart", Short: "From a file to scored predictions, step by step", Long: quickstartText},
		{Use: "exit-codes", Short: "What the exit status of a command means", Long: exitText()},
		{Use: "environment", Short: "The environment variables that are read", Long: environmentText()},
		{Use: "formats", Short: "The files that are read as tables", Long: formatsText},
		{Use: "output", Short: "The forms of what commands print", Long: outputText},
	}
}

// exitText is the page of `help exit-codes`.
func exitText() string {
	var b strings.Builder
	for _, row := range exits {
		fmt.Fprintf(&b, "  %3d  %-14s %s\n", row.exit, row.name, row.when)
	}
	return b.String()
}

const formatsText = `A file is recognised by its content, not by its name. "check" says in the line
"readAs" what a file was read as, if it is not plain CSV.

  CSV         commas, semicolons, tabs or |, with a header
              row, or without one: --no-header-row
  text        columns separated by any number of spaces
  JSON        a list of objects: the document itself, or a
              member such as "data"
  JSON Lines  an object a line; the keys are the columns,
              those of inner objects are named a.b
  Parquet     columns of one value a row; columns of lists
              are left out, with a warning
  Excel       .xlsx: the first sheet, or that of --sheet;
              its first row with a cell is the header

  packed      with gzip, Zstandard, or ZIP with one table
  encoding    UTF-8, UTF-16, and Windows-1252 where the
              bytes leave no doubt, with a warning; others
              by --encoding, such as shift_jis
  several     files make one table: their columns have the
              same names, in any order
  -           is standard input, for each of these

  foretell run train.jsonl.gz --blind blind.jsonl.gz
  foretell run 'part-*.csv' --blind new-1.csv --blind new-2.csv
  sqlite3 -csv -header crm.db "$QUERY" | foretell run -
  duckdb -csv -c "$QUERY" | foretell run -
  psql --csv -c "$QUERY" | foretell run -

A defect has the line of the file; of JSON, that on which the row begins; of Excel
the row of the sheet, of Parquet the number of the row.
`

// quickstartText is the page of `help quickstart`. A test runs its commands, as
// printed, one after the other.
const quickstartText = `Each line can be typed as it stands, in an empty folder.

  foretell demo flowers                         # write a sample, and see each step once
  cd flowers
  foretell check train.csv blind.csv            # what is in the files, and what is wrong with them
  foretell run train.csv --blind blind.csv --name iris --time-limit 20s -o first.csv
  foretell score first.csv answers.csv          # every metric, with its 95 % interval
  foretell models report iris                   # what the model looks at
  foretell training create iris --seed 2 --time-limit 20s
  foretell leaderboard iris                     # both models; = marks those that are alike
  foretell predict blind.csv --with iris@v2 -o second.csv
  foretell predictions diff first.csv second.csv
  foretell predict blind.csv --columns id,prediction -o submission.csv
  foretell models export iris -o iris.model     # the model as a file
  foretell predict blind.csv --model iris.model -o offline.csv

With files of your own, begin with: foretell run TRAIN.csv --blind BLIND.csv
`

const outputText = `Standard output carries the result and nothing else, and is empty when a command
of a single result fails. Errors, progress, notices and questions go to standard error.

  terminal   tables are aligned and fitted to the width; times are relative
  pipe       the same rows and columns as tab-separated values, all of each value
  --json     one JSON document; the fields have the API's names, a list is an array
  --fields   only these fields, in this order; alone it chooses a table's columns
  --csv      lists as CSV; --tsv and --no-header as they say
  --jq       what a jq expression gives for the JSON, one result a line, text without quotes
  --template what a Go template makes of the JSON
  --quiet    only keys or paths, one a line; no progress and no notices

A template may call, beside Go's own functions:

  json V            V as JSON
  join SEP LIST     values with SEP between them
  pluck NAME LIST   one member of each item
  timeago TIME      such as "3 minutes ago"
  truncate N TEXT   cut to N columns
  tablerow A B ...  a row of a table, printed at the end

With --json, --jq or --template an error is one JSON line on standard error:
{"error":{"code","exit","message","hint","requestId","file","line","column"}}.

Progress is redrawn in place on a terminal, told in few lines elsewhere, and not at all
for work of less than a second; --progress json gives one event a line.

A result file is written beside its target, checked (rows, IDs, order, size), and only
then given its name.
`
