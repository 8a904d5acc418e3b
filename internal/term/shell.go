package term

import (
	"fmt"
	"strings"
)

// ShellQuote quotes an argument for a POSIX shell if necessary. An argument with control characters
// is quoted as in $'a\tb', so that [Escape] does not change it. Not every shell reads this form: bash
// and zsh do, but dash does not.
func ShellQuote(arg string) string {
	if strings.IndexFunc(arg, isControl) >= 0 {
		return quoteControls(arg)
	}
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_", r)
	}
	if arg != "" && strings.TrimFunc(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// quoteControls quotes an argument as $'…', with control characters as \t, \n, or octal bytes.
func quoteControls(arg string) string {
	text := "$'"
	for _, r := range arg {
		char := string(r)
		switch {
		case r == '\t':
			char = `\t`
		case r == '\n':
			char = `\n`
		case r == '\'' || r == '\\':
			char = `\` + char
		case isControl(r):
			octal := ""
			for _, c := range []byte(char) {
				octal += fmt.Sprintf(`\%03o`, c)
			}
			char = octal
		}
		text += char
	}
	return text + "'"
}

// IndexUnquoted returns the index of the first occurrence of text in a command line that is outside the
// quotes of [ShellQuote]. It returns -1 if text does not occur there.
func IndexUnquoted(line, text string) int {
	for i := 0; i < len(line); i++ {
		switch {
		case strings.HasPrefix(line[i:], text):
			return i
		case line[i] == '\\':
			i++
		case line[i] == '\'':
			escapes := i > 0 && line[i-1] == '$'
			for i++; i < len(line) && line[i] != '\''; i++ {
				if escapes && line[i] == '\\' {
					i++
				}
			}
		}
	}
	return -1
}

// Command returns a command line of foretell: the words of a command, its arguments, which are
// quoted for a shell, and the flags, which may be empty. If an argument begins with a dash, the flags
// precede the arguments and end with `--`, so that the argument is not read as a flag.
func Command(words, flags string, args ...string) string {
	quoted, end := "", ""
	for _, arg := range args {
		quoted += " " + ShellQuote(arg)
		if strings.HasPrefix(arg, "-") {
			end = " --"
		}
	}
	if flags != "" {
		flags = " " + flags
	}
	if end != "" {
		return "foretell " + words + flags + end + quoted
	}
	return "foretell " + words + quoted + flags
}

// CommandLine returns the command line of foretell with args, quoted for a shell.
func CommandLine(args []string) string {
	line := "foretell"
	for _, arg := range args {
		line += " " + ShellQuote(arg)
	}
	return line
}
