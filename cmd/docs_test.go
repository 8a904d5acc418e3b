package cmd

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// TestReference keeps docs/cli.md what the commands themselves say.
func TestReference(t *testing.T) {
	const path = "../docs/cli.md"
	got := reference(newRootCmd(&host{}))
	if flag.Lookup("update").Value.String() == "true" {
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

// reference writes the whole tree of commands as Markdown.
func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# The command line\n\nMade from the commands themselves by `go test ./cmd -update`.\n")
	b.WriteString("\n## Exit status\n\nStable, and the same with `--json`.\n\n```\n" + exitText() + "```\n")
	b.WriteString("\n## Environment\n\n" + strings.Replace(environmentText(), "\n\n", "\n\n```\n", 1) + "```\n")
	b.WriteString("\n## Output\n\n```\n" + outputText + "```\n")
	b.WriteString("\n## Commands\n\nEvery command also takes `--color auto|always|never` and `--help`.\n")
	writeCommands(&b, root)
	return b.String()
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
			fmt.Fprintf(b, "\n```\n%s\n\n%s```\n", child.UseLine(), child.LocalNonPersistentFlags().FlagUsages())
		}
		if child.Example != "" {
			fmt.Fprintf(b, "\n```\n%s\n```\n", child.Example)
		}
		writeCommands(b, child)
	}
}
