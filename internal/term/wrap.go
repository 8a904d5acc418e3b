package term

import (
	"regexp"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Wrap breaks text between words into lines of at most width columns. A word that is longer
// than width gets its own line. Text between backquotes is not broken, so that commands can be
// copied.
func Wrap(text string, width int) []string {
	var lines []string
	line, empty := "", true
	for _, word := range splitWords(text) {
		switch {
		case empty:
			line, empty = word, false
		case twwidth.Width(line)+1+twwidth.Width(word) <= width:
			line += " " + word
		default:
			lines = append(lines, strings.TrimRight(line, " "))
			line = word
		}
	}
	return append(lines, line)
}

// splitWords splits text at each space outside of backquotes. Two adjacent spaces yield an
// empty word, so that joining the words restores the text.
func splitWords(text string) []string {
	parts := strings.Split(text, " ")
	var found []string
	open := false
	for _, part := range parts {
		if open {
			found[len(found)-1] += " " + part
		} else {
			found = append(found, part)
		}
		if strings.Count(part, "`")%2 == 1 {
			open = !open
		}
	}
	if open { // an unclosed backquote is an ordinary character
		return parts
	}
	return found
}

// WrapLines wraps each line of text, except indented lines.
func WrapLines(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, " ") && twwidth.Width(line) > width {
			lines[i] = strings.Join(Wrap(line, width), "\n")
		}
	}
	return strings.Join(lines, "\n")
}

// listItemPattern matches a line of a two-column list, such as "  name    description".
var listItemPattern = regexp.MustCompile(`^( +\S.*  +)(\S.*)$`)

// Reflow wraps a page of text to a width. It joins and wraps the lines of each paragraph. In a list
// of two columns, it wraps the second column, or moves it below the first if there is too little
// room. It does not change other indented lines.
func Reflow(text string, width int) string {
	var out, block []string
	flush := func() {
		switch {
		case len(block) == 0:
		case strings.HasPrefix(block[0], " "):
			out = append(out, wrapList(block, width)...)
		default:
			out = append(out, wrapParagraph(block, width)...)
		}
		block = nil
	}
	indented := false
	for _, line := range strings.Split(text, "\n") {
		if now := strings.HasPrefix(line, " "); now != indented || line == "" {
			flush()
			indented = now
		}
		if line == "" || strings.HasPrefix(line, "\t") {
			flush()
			out = append(out, line)
			continue
		}
		block = append(block, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// wrapParagraph joins and wraps lines if one of them is too long.
func wrapParagraph(lines []string, width int) []string {
	if !anyTooLong(lines, width) {
		return lines
	}
	return Wrap(strings.Join(lines, " "), width)
}

// wrapList wraps the second column of a list if a line is too long, or moves it below the
// first column if there is too little room.
func wrapList(lines []string, width int) []string {
	const least, under = 24, 6
	if !anyTooLong(lines, width) {
		return lines
	}
	var out []string
	for _, line := range lines {
		parts := listItemPattern.FindStringSubmatch(line)
		if parts == nil {
			out = append(out, line)
			continue
		}
		name, text := parts[1], parts[2]
		at := twwidth.Width(name)
		if width-at < least {
			out = append(out, strings.TrimRight(name, " "))
			name, at = strings.Repeat(" ", under), under
		}
		for i, part := range Wrap(text, width-at) {
			if i > 0 {
				name = strings.Repeat(" ", at)
			}
			out = append(out, name+part)
		}
	}
	return out
}

func anyTooLong(lines []string, width int) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return twwidth.Width(line) > width })
}
