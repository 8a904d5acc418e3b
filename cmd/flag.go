package cmd

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flags that many commands share are in a group of their own in help pages.
const (
	groupService = "Service flags"
	groupOutput  = "Output flags"
)

// groupAnnotation is the annotation of a flag that names its group.
const groupAnnotation = "foretell_group"

// setGroup puts flags into a group.
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

// flagGroups returns the flags of a command by their groups, its own first.
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

// addSharedFlags lets a shell complete the shared flags also before a command's
// name, which is in no group's flags otherwise.
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

// stripBackquotes takes the backquotes out of what the flags mean, which name a value
// in help pages: shells show them as they are.
func stripBackquotes(cmd *cobra.Command) {
	plain := func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") }
	cmd.Flags().VisitAll(plain)
	cmd.PersistentFlags().VisitAll(plain)
	for _, child := range cmd.Commands() {
		stripBackquotes(child)
	}
}

// flagError explains what is wrong with a flag: one that another command has
// would be without effect here.
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

// nearestFlag finds the flag that name was probably meant to be: one that it begins,
// or one at most two letters away; "" if there is none.
func nearestFlag(name string, flags *pflag.FlagSet) string {
	best, distance := "", 3
	flags.VisitAll(func(f *pflag.Flag) {
		d := levenshtein(name, f.Name)
		if strings.HasPrefix(f.Name, name) {
			d = 1
		}
		if d < distance {
			best, distance = f.Name, d
		}
	})
	return best
}

// levenshtein is the Levenshtein distance of two words.
func levenshtein(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
