package cli

import (
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// IsCompletionRequest reports whether the arguments are the request of a shell for
// completions.
func IsCompletionRequest(args []string) bool {
	return len(args) > 1 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// MoveFlagsAfterCommand moves the flags that precede a command's name behind the name:
// `foretell --json datasets list` becomes `foretell datasets list --json`. The arguments
// that follow the name are unchanged.
func MoveFlagsAfterCommand(root *cobra.Command, args []string) []string {
	known := sync.OnceValue(func() *pflag.FlagSet { return AllFlags(root) }) // not computed until a flag precedes the command
	if !IsCompletionRequest(args) {
		_, name, flags, rest := splitArgs(root, known, args)
		return slices.Concat(name, flags, rest)
	}
	end := len(args) - 1 // the word that is being typed stays last
	cmd, name, flags, rest := splitArgs(root, known, args[1:end])
	wanted := strings.HasPrefix(args[end], "-") || len(flags) > 0 && takesValue(known, flags[len(flags)-1])
	if cmd.HasSubCommands() && !wanted { // the name of a subcommand is being typed
		flags = nil
	}
	return slices.Concat(args[:1], name, flags, rest, args[end:])
}

// splitArgs splits args into the words that name a command, the flags before and between these
// words, and the rest. cmd is the named command. The function known returns the flags of all
// commands; see [AllFlags].
func splitArgs(root *cobra.Command, known func() *pflag.FlagSet, args []string) (cmd *cobra.Command, name, flags, rest []string) {
	cmd = root
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--" || arg == "-":
			return cmd, name, flags, args[i:]
		case strings.HasPrefix(arg, "-"):
			flags = append(flags, arg)
			if takesValue(known, arg) && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		default:
			child := findChild(cmd, arg)
			if child == nil {
				return cmd, name, flags, args[i:]
			}
			name, cmd = append(name, arg), child
			if !cmd.HasSubCommands() {
				return cmd, name, flags, args[i+1:]
			}
		}
	}
	return cmd, name, flags, nil
}

// findChild returns the subcommand with a name or alias, or nil.
func findChild(cmd *cobra.Command, name string) *cobra.Command {
	for _, child := range cmd.Commands() {
		if child.Name() == name || child.HasAlias(name) {
			return child
		}
	}
	return nil
}

// AllFlags returns the flags of all commands in one set. This is possible because a flag of a given
// name either always or never takes a value.
func AllFlags(root *cobra.Command) *pflag.FlagSet {
	all := pflag.NewFlagSet("all", pflag.ContinueOnError)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, set := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) {
				short := *f
				if all.ShorthandLookup(f.Shorthand) != nil {
					short.Shorthand = ""
				}
				if all.Lookup(f.Name) == nil {
					all.AddFlag(&short)
				}
			})
		}
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(root)
	return all
}

// takesValue reports whether arg is a flag whose value is the next argument. The function known
// returns the flags of all commands. A flag that is not among them takes no value.
func takesValue(known func() *pflag.FlagSet, arg string) bool {
	if strings.Contains(arg, "=") || !strings.HasPrefix(arg, "-") {
		return false
	}
	if name, long := strings.CutPrefix(arg, "--"); long {
		f := known().Lookup(name)
		return f != nil && f.NoOptDefVal == ""
	}
	for i, letter := range arg[1:] {
		if f := known().ShorthandLookup(string(letter)); f != nil && f.NoOptDefVal == "" {
			return i == len(arg)-2 // otherwise the rest of arg is the value
		}
	}
	return false
}
