package cmd

import "strings"

// shellQuote quotes an argument for a shell if necessary.
func shellQuote(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_", r)
	}
	if arg != "" && strings.TrimFunc(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// shellArgument returns the argument that names an input.
func shellArgument(name string) string {
	if name == stdinName {
		return "-"
	}
	return shellQuote(name)
}

func commandLine(args []string) string {
	line := "foretell"
	for _, arg := range args {
		line += " " + shellQuote(arg)
	}
	return line
}
