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
	"label", "id", "drop", "delimiter", "encoding",
}

// hinted finds the commands that a text offers.
var hinted = regexp.MustCompile("`foretell ([^`]+)`")

// finish gives a failure the hint that depends on the command: where there is
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
		line := strings.Trim(offer, "`")
		next, rest, err := h.running.Root().Find(strings.Fields(line)[1:])
		if err != nil || strings.Contains(line, " --help") {
			return offer
		}
		for _, name := range pinned {
			given := h.running.Flags().Lookup(name)
			switch {
			case given == nil || !given.Changed, next.Flags().Lookup(name) == nil:
			case name == keyServer && next.Name() == "login" && len(rest) > 0: // its argument says so
			case given.Value.Type() == "bool":
				line += " --" + name
			default:
				line += " --" + name + " " + quote(flagValue(given))
			}
		}
		return "`" + line + "`"
	})
}

// flagValue is what was given for a flag, as it is typed.
func flagValue(flag *pflag.Flag) string {
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return strings.Join(list.GetSlice(), ",")
	}
	return flag.Value.String()
}
