package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// strictHelp makes `help` of a command that is not there a wrong use, as the
// command itself is.
func strictHelp(root *cobra.Command) {
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
			return usage("%w", err)
		case len(rest) > 0:
			return runGroup(cmd, rest)
		}
		return cmd.Help()
	}
}

// newHelpTopics gives the pages of `help` that are about no single command.
func newHelpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the exit status of a command means", Long: exitText()},
		{Use: "environment", Short: "The environment variables that are read", Long: environmentText()},
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
