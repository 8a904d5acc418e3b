package cmd

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/frame"
)

// The groups of shared flags in help pages.
const (
	groupService = "Service flags"
	groupOutput  = "Output flags"
)

// groupAnnotation is the annotation with the name of a flag's group.
const groupAnnotation = "foretell_group"

// setGroup assigns flags to a group.
func setGroup(flags *pflag.FlagSet, group string, names ...string) {
	for _, name := range names {
		_ = flags.SetAnnotation(name, groupAnnotation, []string{group}) // the flag is there
	}
}

// flagGroup is the flags of a command under one title.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// flagGroups returns the flags of a command by group, its own flags first.
func flagGroups(cmd *cobra.Command) []flagGroup {
	groups := []flagGroup{{title: "Flags"}, {title: groupService}, {title: groupOutput}}
	for i := range groups {
		groups[i].flags = pflag.NewFlagSet(groups[i].title, pflag.ContinueOnError)
	}
	cmd.InheritedFlags() // merges them into Flags
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		title := "Flags"
		if note := f.Annotations[groupAnnotation]; len(note) > 0 {
			title = note[0]
		}
		i := slices.IndexFunc(groups, func(g flagGroup) bool { return g.title == title })
		groups[i].flags.AddFlag(f)
	})
	return slices.DeleteFunc(groups, func(g flagGroup) bool { return !g.flags.HasAvailableFlags() })
}

// addSharedFlags adds the shared flags to all groups, so that they can be completed
// before the command's name.
func addSharedFlags(root *cobra.Command) {
	shared := pflag.NewFlagSet("shared", pflag.ContinueOnError)
	var groups []*cobra.Command
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.HasSubCommands() {
			groups = append(groups, cmd)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if len(f.Annotations[groupAnnotation]) > 0 && shared.Lookup(f.Name) == nil {
				shared.AddFlag(f)
			}
		})
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(root)
	for _, group := range groups {
		group.Flags().AddFlagSet(shared)
	}
}

// stripBackquotes removes the backquotes that mark value names from usages, because
// shells show them.
func stripBackquotes(cmd *cobra.Command) {
	plain := func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") }
	cmd.Flags().VisitAll(plain)
	cmd.PersistentFlags().VisitAll(plain)
	for _, child := range cmd.Commands() {
		stripBackquotes(child)
	}
}

// flagError explains an invalid flag. A flag of another command has no effect here.
func flagError(cmd *cobra.Command, err error) error {
	var (
		known   *cliError
		missing *pflag.NotExistError
	)
	if errors.As(err, &known) {
		return known
	}
	e := invalidFlagError(err).withHint("see `%s --help`", cmd.CommandPath())
	if !errors.As(err, &missing) {
		return e
	}
	name := missing.GetSpecifiedName()
	switch all := allFlags(cmd.Root()); {
	case missing.GetSpecifiedShortnames() != "":
		if flag := all.ShorthandLookup(name); flag != nil {
			e.fact = "-" + name + " (--" + flag.Name + ") has no effect on " + cmd.CommandPath()
		}
	case all.Lookup(name) != nil:
		e.fact = "--" + name + " has no effect on " + cmd.CommandPath()
	default:
		if likely := nearestFlag(name, cmd.Flags()); likely != "" {
			e = e.withHint("did you mean --%s?", likely)
		}
	}
	return e
}

// nearestFlag returns the flag that has name as a prefix or is at most two edits away; ""
// if there is none.
func nearestFlag(name string, flags *pflag.FlagSet) string {
	best, distance := "", 3
	flags.VisitAll(func(f *pflag.Flag) {
		d := frame.EditDistance([]rune(name), []rune(f.Name), distance)
		if strings.HasPrefix(f.Name, name) {
			d = 1
		}
		if d < distance {
			best, distance = f.Name, d
		}
	})
	return best
}
