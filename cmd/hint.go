package cmd

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"foretell/internal/api"
)

// pinned are the flags that a hint repeats where the user gave them: those that
// choose the service, without which the next command would look elsewhere, and
// those that say how a file is read, without which it would read another table.
var pinned = []string{
	"profile", keyServer, "local", keyDataDir,
	"label", "id", "drop", "no-header-row", "delimiter", "encoding", "sheet",
}

// hinted finds the commands that a text offers.
var hinted = regexp.MustCompile("`foretell ([^`]+)`")

// finish adds to a failure the hint that depends on the command: where there is
// none, and for a token from the environment, which no sign-in replaces.
func (h *host) finish(f *failure) {
	if f.code == string(api.CodeUnauthorized) && h.env(envToken) != "" {
		f.hint = "give a new token in " + envToken + ", or unset it and sign in with `foretell login`"
	}
	if f.hint == "" && h.running != nil {
		f.hint = h.look(f.exit)
	}
	f.hint = h.pin(f.hint)
}

// look offers what shows the things that the command is about.
func (h *host) look(exit Exit) string {
	group := h.running.Parent()
	if group != nil && group.HasParent() {
		noun := group.CommandPath()
		switch takes := strings.Fields(h.running.Use); { // a thing of another noun than the command's
		case slices.Contains(takes, "DATASET"):
			noun = "foretell datasets"
		case slices.Contains(takes, "MODEL"):
			noun = "foretell models"
		}
		switch args := h.running.Flags().Args(); {
		case exit == ExitNotFound:
			return "see `" + noun + " list`"
		case exit == ExitConflict && len(args) > 0:
			return "see `" + noun + " get " + quote(args[0]) + "`"
		}
	}
	return "see `" + h.running.CommandPath() + " --help`"
}

// pin adds to the commands that a text offers the pinned flags that the running
// one was given, where they take them too.
func (h *host) pin(text string) string {
	if h.running == nil {
		return text
	}
	return hinted.ReplaceAllStringFunc(text, func(offer string) string {
		parts := strings.Split(strings.Trim(offer, "`"), " && ")
		for i, part := range parts {
			part = nested.ReplaceAllStringFunc(part, func(inner string) string {
				return "$(" + h.pinLine(inner[len("$("):len(inner)-1]) + ")"
			})
			parts[i] = h.pinLine(part)
		}
		return "`" + strings.Join(parts, " && ") + "`"
	})
}

// nested finds a command whose output is a word of another.
var nested = regexp.MustCompile(`\$\(foretell [^)]+\)`)

// pinLine adds the pinned flags to one command.
func (h *host) pinLine(line string) string {
	next, rest, err := h.running.Root().Find(strings.Fields(line)[1:])
	if err != nil || strings.Contains(line, " --help") {
		return line
	}
	outer := nested.ReplaceAllString(line, "") // whose flags are its own
	for _, name := range pinned {
		given := h.running.Flags().Lookup(name)
		switch {
		case strings.Contains(outer, " --"+name+" ") || strings.Contains(outer, " --"+name+"=") || strings.HasSuffix(outer, " --"+name):
		case given == nil || !given.Changed, next.Flags().Lookup(name) == nil:
		case name == keyServer && next.Name() == "login" && len(rest) > 0: // its argument says so
		case next.Name() == "score" && (name == "delimiter" || name == "encoding"): // a result that was written is plain CSV
		case given.Value.Type() == "bool":
			line += " --" + name
		default:
			line += " --" + name + " " + quote(flagValue(given))
		}
	}
	return line
}

// flagValue is what was given for a flag, as it is typed.
func flagValue(flag *pflag.Flag) string {
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return strings.Join(list.GetSlice(), ",")
	}
	return flag.Value.String()
}

// again is the command that was typed, with a flag that has this value; a flag
// that takes several values keeps those it was given. An empty value takes the
// flag away.
func (h *host) again(flag, value string) string {
	if given := h.running.Flags().Lookup(flag); given != nil && given.Value.Type() == "bool" {
		return commandLine(append(mended(h.args, flag, "", false), "--"+flag))
	}
	return commandLine(mended(h.args, flag, value, h.repeats(flag)))
}

// repeats reports whether a flag takes several values.
func (h *host) repeats(flag string) bool {
	given := h.running.Flags().Lookup(flag)
	if given == nil {
		return false
	}
	_, several := given.Value.(pflag.SliceValue)
	return several
}

// againOn is the command that was typed, on another file.
func (h *host) againOn(file, other string) string {
	args := slices.Clone(h.args)
	for i, arg := range args {
		if arg == file {
			args[i] = other
		} else if name, value, ok := strings.Cut(arg, "="); ok && value == file && strings.HasPrefix(name, "--") {
			args[i] = name + "=" + other
		}
	}
	return commandLine(args)
}

func commandLine(args []string) string {
	line := "foretell"
	for _, arg := range args {
		line += " " + quote(arg)
	}
	return line
}

// mended returns arguments with another value for a flag, or one value more if it
// is kept.
func mended(args []string, flag, value string, keep bool) []string {
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
