package term

import (
	"strings"
)

// ShellQuote quotes an argument for a POSIX shell if necessary.
func ShellQuote(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_", r)
	}
	if arg != "" && strings.TrimFunc(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
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
