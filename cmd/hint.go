package cmd

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"foretell/internal/api"
)

// keptFlags are the flags that a hint repeats: those that select the service, and those
// that change how a file is read.
var keptFlags = []string{
	"profile", keyServer, "local", keyDataDir,
	"label", "id", "drop", "no-header-row", "delimiter", "encoding", "sheet",
}

// hintedCommand matches the commands in a text.
var hintedCommand = regexp.MustCompile("`foretell ([^`]+)`")

// completeHint adds a hint that depends on the command if there is none, or if the token
// is from the environment, which login does not replace.
func (f *factory) completeHint(e *cliError) {
	if e.code == string(api.CodeUnauthorized) && f.env(envToken) != "" {
		e.hint = "give a new token in " + envToken + ", or unset it and sign in with `foretell login`"
	}
	if e.hint == "" && f.running != nil {
		e.hint = f.suggestList(e.exit)
	}
	e.hint = f.keepFlags(e.hint)
}

// suggestList suggests the command that lists or shows the objects of the command.
func (f *factory) suggestList(exit Exit) string {
	group := f.running.Parent()
	if group != nil && group.HasParent() {
		noun := group.CommandPath()
		switch takes := strings.Fields(f.running.Use); { // a thing of another noun than the command's
		case slices.Contains(takes, "DATASET"):
			noun = "foretell datasets"
		case slices.Contains(takes, "MODEL"):
			noun = "foretell models"
		}
		switch args := f.running.Flags().Args(); {
		case exit == ExitNotFound:
			return "see `" + noun + " list`"
		case exit == ExitConflict && len(args) > 0:
			return "see `" + noun + " get " + shellQuote(args[0]) + "`"
		}
	}
	return "see `" + f.running.CommandPath() + " --help`"
}

// keepFlags adds the given keptFlags to the commands in a text that accept them.
func (f *factory) keepFlags(text string) string {
	if f.running == nil {
		return text
	}
	return hintedCommand.ReplaceAllStringFunc(text, func(offer string) string {
		parts := strings.Split(strings.Trim(offer, "`"), " && ")
		for i, part := range parts {
			part = commandSubstitution.ReplaceAllStringFunc(part, func(inner string) string {
				return "$(" + f.keepFlagsOf(inner[len("$("):len(inner)-1]) + ")"
			})
			parts[i] = f.keepFlagsOf(part)
		}
		return "`" + strings.Join(parts, " && ") + "`"
	})
}

// commandSubstitution matches $(foretell …).
var commandSubstitution = regexp.MustCompile(`\$\(foretell [^)]+\)`)

// keepFlagsOf adds the given keptFlags to one command.
func (f *factory) keepFlagsOf(line string) string {
	next, rest, err := f.running.Root().Find(strings.Fields(line)[1:])
	if err != nil || strings.Contains(line, " --help") {
		return line
	}
	outer := commandSubstitution.ReplaceAllString(line, "") // whose flags are its own
	for _, name := range keptFlags {
		given := f.running.Flags().Lookup(name)
		switch {
		case strings.Contains(outer, " --"+name+" ") || strings.Contains(outer, " --"+name+"=") || strings.HasSuffix(outer, " --"+name):
		case given == nil || !given.Changed, next.Flags().Lookup(name) == nil:
		case name == keyServer && next.Name() == "login" && len(rest) > 0: // its argument says so
		case next.Name() == "score" && (name == "delimiter" || name == "encoding"): // a result that was written is plain CSV
		case given.Value.Type() == "bool":
			line += " --" + name
		default:
			line += " --" + name + " " + shellQuote(flagValue(given))
		}
	}
	return line
}

// flagValue returns the value of a flag as it is typed.
func flagValue(flag *pflag.Flag) string {
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return strings.Join(list.GetSlice(), ",")
	}
	return flag.Value.String()
}

// commandWith returns the current command with a flag set to value; a repeatable flag
// keeps its other values. An empty value removes the flag.
func (f *factory) commandWith(flag, value string) string {
	if given := f.running.Flags().Lookup(flag); given != nil && given.Value.Type() == "bool" {
		return commandLine(append(withFlag(f.args, flag, "", false), "--"+flag))
	}
	return commandLine(withFlag(f.args, flag, value, f.isRepeatable(flag)))
}

// isRepeatable reports whether a flag takes several values.
func (f *factory) isRepeatable(flag string) bool {
	given := f.running.Flags().Lookup(flag)
	if given == nil {
		return false
	}
	_, several := given.Value.(pflag.SliceValue)
	return several
}

// commandOn returns the current command with file replaced by other.
func (f *factory) commandOn(file, other string) string {
	args := slices.Clone(f.args)
	for i, arg := range args {
		if arg == file {
			args[i] = other
		} else if name, value, ok := strings.Cut(arg, "="); ok && value == file && strings.HasPrefix(name, "--") {
			args[i] = name + "=" + other
		}
	}
	return commandLine(args)
}

// withFlag returns args with a flag set to value, or added if keep is set.
func withFlag(args []string, flag, value string, keep bool) []string {
	var list []string
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	for i := 0; i < end; i++ {
		switch {
		case keep || args[i] != "--"+flag && !strings.HasPrefix(args[i], "--"+flag+"="):
			list = append(list, args[i])
		case args[i] == "--"+flag:
			i++ // and its value
		}
	}
	if value != "" {
		list = append(list, "--"+flag, value)
	}
	return append(list, args[end:]...)
}
