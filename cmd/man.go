package cmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

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
		completion.Hidden = true // it has no manual page that others can refer to
	}
	return forEachManPage(root, func(cmd *cobra.Command) error {
		path := filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")
		err := cli.WriteFileAtomic(path, func(w io.Writer) error { return writeManPage(w, cmd) })
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

// writeManPage writes the manual page of a command.
func writeManPage(w io.Writer, cmd *cobra.Command) error {
	page := *cmd // a copy with its texts in Markdown, as GenMan expects
	page.Short, page.Long, page.DisableAutoGenTag = toMarkdown(cmd.Short), toMarkdown(cmd.Long), true
	changed := map[*pflag.Flag]string{}
	page.Flags().VisitAll(func(f *pflag.Flag) { changed[f], f.Usage = f.Usage, toMarkdown(f.Usage) })
	defer func() {
		for f, usage := range changed {
			f.Usage = usage
		}
	}()
	return doc.GenMan(&page, &doc.GenManHeader{Manual: "Foretell", Source: "foretell " + build.Current().Version}, w)
}

// toMarkdown escapes the characters that Markdown would interpret, except in code spans.
// Indented lines become code blocks.
func toMarkdown(text string) string {
	escape := strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`)
	var b strings.Builder
	indented := false
	for i, line := range strings.Split(text, "\n") {
		code := strings.HasPrefix(line, "  ")
		if i > 0 {
			b.WriteString("\n")
		}
		if code != indented && i > 0 {
			b.WriteString("\n") // a code block begins after a blank line
		}
		indented = code
		if code {
			b.WriteString("    " + line)
			continue
		}
		for j, part := range strings.Split(line, "`") {
			if j > 0 {
				b.WriteString("`")
			}
			if j%2 == 0 {
				part = escape.Replace(part)
			}
			b.WriteString(part)
		}
	}
	return b.String()
}
