package cmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/build"
	"foretell/internal/cli"
)

type manOptions struct {
	factory *cli.Factory
}

// newManCmd returns the hidden command that writes the manual pages, for packagers.
func newManCmd(f *cli.Factory) *cobra.Command {
	opts := &manOptions{factory: f}
	return &cobra.Command{
		Use: "man DIR", Short: "Write the manual pages into a folder", Hidden: true,
		Args: cli.PositionalArgs("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Root(), args[0]) },
	}
}

func (o *manOptions) run(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Hidden = true // has no manual page, so other pages must not refer to it
	}
	return forEachManPage(root, func(cmd *cobra.Command) error {
		path := filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")
		err := cli.WriteFileAtomic(root.Context(), path, true, func(w io.Writer) error { return cli.WriteManPage(w, cmd, build.Current().Version) })
		if err == nil {
			_, err = fmt.Fprintln(o.factory.Console.Out, path)
		}
		return err
	})
}

// forEachManPage calls visit for every command and help topic with a manual page.
func forEachManPage(cmd *cobra.Command, visit func(cmd *cobra.Command) error) error {
	if err := visit(cmd); err != nil {
		return err
	}
	for _, child := range cmd.Commands() {
		listed := child.IsAvailableCommand() && child.Name() != "help" && child.Name() != "completion"
		if !listed && !child.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := forEachManPage(child, visit); err != nil {
			return err
		}
	}
	return nil
}
