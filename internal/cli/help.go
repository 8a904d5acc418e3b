package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/config"
	"foretell/internal/exit"
)

// RejectUnknownHelpTopics makes `help` report an unknown command as a usage error.
func RejectUnknownHelpTopics(root *cobra.Command) {
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
			return exit.Usagef("%w", err)
		case len(rest) > 0:
			return RunGroup(cmd, rest)
		}
		return cmd.Help()
	}
}

// NewHelpTopics returns the help topics.
func NewHelpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "quickstart", Short: "From a file to scored predictions, step by step", Long: QuickstartHelp},
		{Use: "exit-codes", Short: "Exit statuses", Long: ExitCodesHelp()},
		{Use: "environment", Short: "Environment variables", Long: config.EnvironmentHelp()},
		{Use: "formats", Short: "Supported file formats", Long: formatsHelp},
		{Use: "output", Short: "Output formats", Long: OutputHelp},
	}
}

// ExitCodesHelp returns the text of `help exit-codes`.
func ExitCodesHelp() string {
	var b strings.Builder
	for _, row := range exit.Statuses {
		fmt.Fprintf(&b, "  %3d  %-14s %s\n", row.Exit, row.Name, row.When)
	}
	return b.String()
}

const formatsHelp = `The format of a file is detected from its content, not from its name. If a file is not
plain CSV, ` + "`foretell check`" + ` prints its format in the line "readAs".

  CSV         commas, semicolons, tabs or |, with a header
              row, or without one: --no-header-row;
              lines above the header: --skip-rows NUMBER
  text        columns separated by any number of spaces
  JSON        an array of objects, or an object with such an
              array as the member data, rows, records,
              results, items, value, values or entries;
              without such a member: the first array, if the
              object has only arrays and objects, or else
              the only array with several objects; any other
              object is a row
  JSON Lines  one object per line; its keys are the columns,
              and the key b of an inner object a becomes the
              column a.b; NaN and Infinity count as missing
  Parquet     columns with one value per row; columns of
              lists are ignored, with a warning; any
              compression except LZ4 and LZO
  Excel       .xlsx: the first visible sheet, or --sheet
              NAME; the first row that is not empty is the
              header, unless --skip-rows ignores it; below
              it, a row without values is a row, except at
              the end of the sheet; percentages are read as
              displayed, and elapsed times such as [h]:mm as
              hours

  compressed  gzip, Zstandard, or a ZIP with one table
  encoding    UTF-8 and UTF-16, and Windows-1252 if the
              bytes are unambiguous, with a warning; for
              others use --encoding, such as shift_jis
  several     several files become one table: they need the
              same column names, in any order
  -           standard input, in any of these formats

  foretell run train.jsonl.gz --blind blind.jsonl.gz
  foretell run 'part-*.csv' --blind new-1.csv --blind new-2.csv
  sqlite3 -csv -header crm.db "$QUERY" | foretell run -
  duckdb -csv -c "$QUERY" | foretell run -
  psql --csv -c "$QUERY" | foretell run -

A defect is reported with its line in the file. For JSON that is the line where the row
starts, for Excel the row of the sheet, and for Parquet the number of the row.
`

// QuickstartHelp is the text of `help quickstart`. A test runs its commands in order.
const QuickstartHelp = `Run these lines one after the other in an empty folder.

  foretell demo flowers                         # write a sample and run each step once
  cd flowers
  foretell check train.csv blind.csv            # describe the files and find their defects
  foretell run train.csv --blind blind.csv --name iris --time-limit 20s -o first.csv
  foretell score first.csv answers.csv          # every metric, with its 95 % interval
  foretell models report iris                   # scores and the most important columns
  foretell training create iris --seed 2 --time-limit 20s
  foretell leaderboard iris                     # rank both models; an equals sign marks a tie
  foretell predict blind.csv --with iris@v2 -o second.csv
  foretell predictions diff first.csv second.csv
  foretell predict blind.csv --columns id,prediction -o submission.csv
  foretell models export iris -o iris.model     # write the model to a file
  foretell predict blind.csv --model iris.model -o offline.csv

With your own files, start with: foretell run TRAIN.csv --blind BLIND.csv
`

// OutputHelp is the text of `help output`.
const OutputHelp = `Only the result is written to standard output. If a command with a single result fails,
nothing is written there. Errors, progress, notices and prompts go to standard error.

  terminal   tables are aligned and fitted to the width; times are relative
  pipe       the same rows as tab-separated values, not truncated; marks such as * are columns
  --json     one JSON document with the API's field names; a list is an array
  --fields   only these fields, in this order, as JSON members or table columns
  --csv      a list as CSV; --no-header omits the header line
  --tsv      a list as tab-separated values, even on a terminal
  --jq       the results of a jq expression, one per line, strings without quotes
  --template the output of a Go template
  --quiet    only keys or paths, one per line; no progress, notices or warnings

Warnings about data are notices. With --json, the result of predict and run also contains
them, in the member warnings. Receipts always contain them, even with --quiet.

Template functions, in addition to those of Go:

  json V            V as JSON
  join SEP LIST     the values joined by SEP
  pluck NAME LIST   the member NAME of each item
  timeago TIME      the time as in "3 minutes ago"
  truncate N TEXT   TEXT, shortened to N columns
  tablerow A B ...  adds a row to a table that is printed at the end

With --json, --jq or --template an error is printed as one JSON line on standard error:
{"error":{"code","exit","message","hint","requestId","file","line","column"}}.

Progress is redrawn in place on a terminal, and printed in a few lines elsewhere. Work
that takes less than a second shows no progress. With --progress json, each line on standard
error is a JSON object: an event of progress, a notice or an error. Only prompts, logs, such
as those of --debug, annotations for GitHub and the message after a second Ctrl-C are text.
FORETELL_PROGRESS only affects commands that have the flag --progress.

A result file is written under a temporary name. It is renamed after its rows, IDs, order
and size have been checked.
`

// RunGroup runs a command that only has subcommands. Without arguments, it prints the help page.
// Otherwise the first argument is an unknown subcommand, and RunGroup returns an error that
// suggests similar subcommands.
func RunGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	e := exit.Usagef("unknown command %q for %q", args[0], cmd.CommandPath())
	if way := commandSynonyms[args[0]]; way != "" && !cmd.HasParent() {
		return e.WithHint("%s", way)
	}
	if likely := similarCommands(cmd, args[0]); len(likely) > 0 {
		return e.WithHint("did you mean %s?", strings.Join(likely, " or "))
	}
	return e.WithHint("see `%s --help`", cmd.CommandPath())
}

// similarCommands returns the subcommands similar to name.
func similarCommands(cmd *cobra.Command, name string) []string {
	var names []string
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	return SimilarNames(name, names)
}

// commandSynonyms maps command names of similar programs to hints.
var commandSynonyms = map[string]string{
	"train":    "to train and predict: `foretell run TRAIN.csv --blind BLIND.csv`",
	"fit":      "to train and predict: `foretell run TRAIN.csv --blind BLIND.csv`",
	"init":     "no setup is needed: try `foretell demo`, or see `foretell help quickstart`",
	"evaluate": "to score predictions: `foretell score PREDICTIONS.csv ANSWERS.csv`",
	"test":     "to score predictions: `foretell score PREDICTIONS.csv ANSWERS.csv`",
	"list":     "to list: `foretell datasets list`, `foretell models list` or `foretell training list`",
	"diff":     "to compare: `foretell models diff A B` or `foretell predictions diff A.csv B.csv`",
	"export":   "to write a model's file: `foretell models export REF`",
	"verify":   "to check a result by its receipt: `foretell predictions verify RESULT.csv`",
}
