package cmd

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/cli"
)

// TestManPages checks that the manual page of each command has every word of its help page.
// Hidden flags are not on the help page.
func TestManPages(t *testing.T) {
	root := NewRootCmd(&cli.Factory{})
	pages := 0
	plain := strings.NewReplacer(`\fB`, "", `\fI`, "", `\fR`, "", `\fP`, "", `\-`, "-", `\&`, "", `\\`, `\`, `\e`, `\`)
	err := forEachManPage(root, func(cmd *cobra.Command) error {
		pages++
		var page strings.Builder
		if err := cli.WriteManPage(&page, cmd, "1"); err != nil {
			return err
		}
		got := plain.Replace(page.String())
		texts := []string{cmd.Short, cmd.Long, cmd.Example}
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				texts = append(texts, "--"+f.Name, f.Usage)
			}
		})
		for _, text := range texts {
			for _, word := range strings.Fields(strings.ReplaceAll(text, "`", " ")) {
				if !strings.Contains(got, word) {
					t.Errorf("%s: the page lacks %q", cmd.CommandPath(), word)
				}
			}
		}
		return nil
	})
	if err != nil || pages < 30 {
		t.Errorf("%d pages, %v", pages, err)
	}
}
