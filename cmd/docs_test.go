package cmd

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/cli"
	"foretell/internal/config"
)

var update = flag.Bool("update", false, "write the generated pages anew")

// TestReference compares docs/cli.md with the commands.
func TestReference(t *testing.T) {
	const path = "../docs/cli.md"
	got := reference(NewRootCmd(&cli.Factory{}))
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/cli.md is not what the commands say; go test ./cmd -update writes it (-want +got):\n%s", diff)
	}
}

// reference returns the whole command tree as Markdown.
func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# The command line\n\nGenerated from the commands by `go test ./cmd -update`. The page leaves out `foretell completion`, `foretell man DIR` (which writes the manual pages, and is not in `foretell --help`) and the topics `foretell help formats` and `foretell help quickstart`.\n")
	b.WriteString("\n## Exit status\n\nThe statuses are stable, and the same with `--json`.\n\n```\n" + cli.ExitCodesHelp() + "```\n")
	b.WriteString("\n## Environment\n\n" + strings.Replace(config.EnvironmentHelp(), "\n\n", "\n\n```\n", 1) + "```\n")
	b.WriteString("\n## Output\n\n```\n" + cli.OutputHelp + "```\n")
	b.WriteString("\n## Shared flags\n\nFlags may also precede the name of the command. Every command takes `--color auto|always|never` and `--help`.\n")
	for _, group := range sharedFlags(root) {
		fmt.Fprintf(&b, "\n%s:\n\n```\n%s```\n", group.Title, group.Flags.FlagUsages())
	}
	b.WriteString("\n## Commands\n")
	writeCommands(&b, root)
	return b.String()
}

// sharedFlags returns the groups of shared flags.
func sharedFlags(root *cobra.Command) []cli.FlagGroup {
	all := &cobra.Command{}
	_ = forEachManPage(root, func(cmd *cobra.Command) error {
		for _, group := range cli.FlagGroups(cmd) {
			group.Flags.VisitAll(func(f *pflag.Flag) {
				if group.Title != "Flags" && all.Flags().Lookup(f.Name) == nil {
					all.Flags().AddFlag(f)
				}
			})
		}
		return nil
	})
	return cli.FlagGroups(all)
}

func writeCommands(b *strings.Builder, cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		if !child.IsAvailableCommand() || child.Name() == "help" || child.Name() == "completion" {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n%s.\n", child.CommandPath(), child.Short)
		if child.Long != "" {
			fmt.Fprintf(b, "\n%s\n", child.Long)
		}
		if !child.HasAvailableSubCommands() {
			writeUsage(b, child)
		}
		if child.Example != "" {
			fmt.Fprintf(b, "\n```\n%s\n```\n", child.Example)
		}
		writeCommands(b, child)
	}
}

// writeUsage writes the flags of a command, and the names of those that it shares with other
// commands.
func writeUsage(b *strings.Builder, cmd *cobra.Command) {
	own, shared := "", ""
	for _, group := range cli.FlagGroups(cmd) {
		if group.Title == "Flags" {
			only := pflag.NewFlagSet("", pflag.ContinueOnError)
			group.Flags.VisitAll(func(f *pflag.Flag) {
				if f.Name != "color" && f.Name != "help" {
					only.AddFlag(f)
				}
			})
			own = only.FlagUsages()
			continue
		}
		var names []string
		group.Flags.VisitAll(func(f *pflag.Flag) { names = append(names, "`--"+f.Name+"`") })
		shared += fmt.Sprintf("\n%s: %s.\n", group.Title, strings.Join(names, ", "))
	}
	if own != "" {
		own = "\n" + own
	}
	fmt.Fprintf(b, "\n```\n%s\n%s```\n%s", cmd.UseLine(), own, shared)
}
