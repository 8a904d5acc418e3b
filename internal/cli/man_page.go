package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// WriteManPage writes the manual page of a command. version is the version of the program.
func WriteManPage(w io.Writer, cmd *cobra.Command, version string) error {
	page := *cmd // a copy with its texts in Markdown, as GenMan expects
	page.Short, page.Long, page.DisableAutoGenTag = toMarkdown(cmd.Short), toMarkdown(cmd.Long), true
	changed := map[*pflag.Flag]string{}
	page.Flags().VisitAll(func(f *pflag.Flag) { changed[f], f.Usage = f.Usage, toMarkdown(f.Usage) })
	defer func() {
		for f, usage := range changed {
			f.Usage = usage
		}
	}()
	return doc.GenMan(&page, &doc.GenManHeader{Manual: "Foretell", Source: "foretell " + version}, w)
}

// toMarkdown escapes the characters that Markdown would interpret, except in code spans. It turns
// indented lines into code blocks.
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
