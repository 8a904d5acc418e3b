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

// CommandLine returns the command line of foretell with args, quoted for a shell.
func CommandLine(args []string) string {
	line := "foretell"
	for _, arg := range args {
		line += " " + ShellQuote(arg)
	}
	return line
}
