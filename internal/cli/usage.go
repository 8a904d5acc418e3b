package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/term"
)

// PrintHelp prints the help page of a command, fitted to the terminal or to COLUMNS.
func (f *Factory) PrintHelp(cmd *cobra.Command, _ []string) {
	cmd.InheritedFlags() // makes cobra add the flags of the parents, so that the usage line has [flags]
	text := strings.TrimRight(cmp.Or(cmd.Long, cmd.Short), " \n") + "\n"
	if cmd.Runnable() || cmd.HasSubCommands() {
		text += "\n" + usageText(cmd)
	}
	if f.Console.MustFitOutWidth() {
		text = term.Reflow(text, f.Console.OutWidth())
	}
	if f.Console.OutTerminal {
		toConsole := cmd.OutOrStdout() == f.Stdout
		if toConsole && (&Output{Factory: f, Cmd: cmd}).WritePaged(bytes.NewBufferString(text)) == nil {
			return
		}
	}
	fmt.Fprint(cmd.OutOrStdout(), text)
}

// usageText returns the part of a help page that follows the description.
func usageText(cmd *cobra.Command) string {
	flags := FlagGroups(cmd) // first, because UseLine has [flags] only when cobra has added the shared flags
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND [flags]\n", cmd.CommandPath())
	} else {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(&b, "\nAliases:\n  %s\n", cmd.NameAndAliases())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		for _, group := range cmd.Groups() {
			writeSubcommands(&b, cmd, group.ID, group.Title)
		}
		title := "Commands:"
		if len(cmd.Groups()) > 0 {
			title = "More:"
		}
		writeSubcommands(&b, cmd, "", title)
	}
	for _, group := range flags {
		fmt.Fprintf(&b, "\n%s:\n%s", group.Title, group.Flags.FlagUsages())
	}
	if cmd.HasHelpSubCommands() {
		b.WriteString("\nHelp topics:\n")
		for _, topic := range cmd.Commands() {
			if topic.IsAdditionalHelpTopicCommand() {
				fmt.Fprintf(&b, "  help %-12s %s\n", topic.Name(), topic.Short)
			}
		}
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nUse `%s COMMAND --help` for details. Flags may also precede the command.\n", cmd.CommandPath())
	}
	return b.String()
}

func writeSubcommands(b *strings.Builder, cmd *cobra.Command, group, title string) {
	width := 0
	for _, child := range cmd.Commands() {
		width = max(width, len(child.Name()))
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for _, child := range cmd.Commands() {
		if child.GroupID == group && child.IsAvailableCommand() {
			fmt.Fprintf(b, "  %-*s  %s\n", width, child.Name(), child.Short)
		}
	}
}

// introText is printed if there are no arguments.
const introText = `Foretell trains a classifier on a labelled CSV and predicts another.

  foretell demo                             run every step on a small sample
  foretell check train.csv blind.csv        find defects in the files
  foretell run train.csv --blind blind.csv  train, predict, verify
  foretell predict new.csv                  predict with the best model
  foretell score result.csv answers.csv     compute metrics with intervals
  foretell leaderboard                      rank the models

All commands: foretell --help
Step by step: foretell help quickstart
`

// PrintIntro prints the short introduction.
func (f *Factory) PrintIntro(cmd *cobra.Command) error {
	text := introText
	if f.Console.MustFitOutWidth() {
		text = term.Reflow(text, f.Console.OutWidth())
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}
