package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/build"
	"foretell/internal/cli"
)

type manOptions struct {
	host *cli.Factory
}

// newManCmd returns the hidden command for packagers.
func newManCmd(f *cli.Factory) *cobra.Command {
	opts := &manOptions{host: f}
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
	return eachPage(root, func(cmd *cobra.Command) error {
		path := filepath.Join(dir, pageName(cmd)+".1")
		if err := os.WriteFile(path, []byte(manPage(cmd)), 0o644); err != nil {
			return err
		}
		_, err := fmt.Fprintln(o.host.Console.Out, path)
		return err
	})
}

// eachPage calls visit for every command and help topic with a manual page.
func eachPage(cmd *cobra.Command, visit func(cmd *cobra.Command) error) error {
	if err := visit(cmd); err != nil {
		return err
	}
	for _, child := range cmd.Commands() {
		listed := child.IsAvailableCommand() && child.Name() != "help" && child.Name() != "completion"
		if !listed && !child.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := eachPage(child, visit); err != nil {
			return err
		}
	}
	return nil
}

// pageName returns the name of a command's page, such as foretell-datasets-list.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns the manual page of a command for man(1).
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := pageName(cmd)
	fmt.Fprintf(&b, ".TH %q 1 \"\" \"foretell %s\" \"Foretell\"\n", strings.ToUpper(name), build.Current().Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	if cmd.IsAdditionalHelpTopicCommand() {
		b.WriteString(".SH DESCRIPTION\n" + roffBlock(cmd.Long))
		return b.String() + seeAlso(cmd)
	}
	b.WriteString(".SH SYNOPSIS\n")
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, ".B %s\nCOMMAND [flags]\n", roff(cmd.CommandPath()))
	} else {
		fmt.Fprintf(&b, ".B %s\n%s\n", roff(cmd.CommandPath()), roff(strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath()+" ")))
	}
	b.WriteString(".SH DESCRIPTION\n")
	if cmd.Long == "" {
		fmt.Fprintf(&b, "%s.\n", roff(cmd.Short))
	} else {
		b.WriteString(roffText(cmd.Long))
	}
	if cmd.HasExample() {
		b.WriteString(".SH EXAMPLES\n" + roffBlock(cmd.Example))
	}
	for _, group := range cli.FlagGroups(cmd) {
		fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(group.Title))
		group.Flags.VisitAll(func(f *pflag.Flag) { b.WriteString(roffFlag(f)) })
	}
	return b.String() + seeAlso(cmd)
}

// roffFlag formats a flag with its value and usage.
func roffFlag(f *pflag.Flag) string {
	if f.Hidden {
		return ""
	}
	value, meaning := pflag.UnquoteUsage(f)
	var b strings.Builder
	b.WriteString(".TP\n")
	if f.Shorthand != "" {
		fmt.Fprintf(&b, "\\fB\\-%s\\fR, ", f.Shorthand)
	}
	fmt.Fprintf(&b, "\\fB\\-\\-%s\\fR", roff(f.Name))
	if value != "" {
		fmt.Fprintf(&b, " \\fI%s\\fR", roff(value))
	}
	fmt.Fprintf(&b, "\n%s\n", roff(meaning))
	return b.String()
}

// seeAlso lists the pages of the parent and the children of a command.
func seeAlso(cmd *cobra.Command) string {
	var names []string
	if cmd.HasParent() {
		names = append(names, pageName(cmd.Parent()))
	}
	_ = eachPage(cmd, func(page *cobra.Command) error {
		if page.Parent() == cmd {
			names = append(names, pageName(page))
		}
		return nil
	})
	var b strings.Builder
	b.WriteString(".SH SEE ALSO\n")
	for i, name := range names {
		end := ","
		if i == len(names)-1 {
			end = ""
		}
		fmt.Fprintf(&b, ".BR %s (1)%s\n", roff(name), end)
	}
	return b.String()
}

// roff escapes one line of text.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "’", `\(cq`, "…", `\&...`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// roffText formats paragraphs; indented ones are kept verbatim.
func roffText(text string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, "  ") {
			b.WriteString(roffBlock(paragraph))
			continue
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			b.WriteString(roff(line) + "\n")
		}
	}
	return b.String()
}

// roffBlock formats lines verbatim.
func roffBlock(text string) string {
	var b strings.Builder
	b.WriteString(".nf\n")
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(roff(line) + "\n")
	}
	b.WriteString(".fi\n")
	return b.String()
}
