package cli

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/exit"
	"foretell/internal/table/csvfile"
)

// The groups of shared flags in help pages.
const (
	GroupService = "Service flags"
	GroupOutput  = "Output flags"
)

// The groups of the flags of serve and worker in help pages.
const (
	GroupNetwork    = "Network flags"
	GroupAccounts   = "Account flags"
	GroupMonitoring = "Log and monitoring flags"
)

// groupAnnotation is the annotation with the name of a flag's group.
const groupAnnotation = "foretell_group"

// SetFlagGroup assigns flags to a group.
func SetFlagGroup(flags *pflag.FlagSet, group string, names ...string) {
	for _, name := range names {
		_ = flags.SetAnnotation(name, groupAnnotation, []string{group}) // fails only if the flag is not defined
	}
}

// FlagGroup holds the flags of a command that help pages list under one title.
type FlagGroup struct {
	Title string
	Flags *pflag.FlagSet
}

// FlagGroups returns the flags of a command by group. The first group has the flags that are
// not assigned to a group.
func FlagGroups(cmd *cobra.Command) []FlagGroup {
	groups := []FlagGroup{{Title: "Flags"}, {Title: GroupNetwork}, {Title: GroupAccounts}, {Title: GroupMonitoring}, {Title: GroupService}, {Title: GroupOutput}}
	for i := range groups {
		groups[i].Flags = pflag.NewFlagSet(groups[i].Title, pflag.ContinueOnError)
	}
	cmd.InheritedFlags() // adds the inherited flags to cmd.Flags()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		title := "Flags"
		if note := f.Annotations[groupAnnotation]; len(note) > 0 {
			title = note[0]
		}
		i := slices.IndexFunc(groups, func(g FlagGroup) bool { return g.Title == title })
		groups[i].Flags.AddFlag(f)
	})
	return slices.DeleteFunc(groups, func(g FlagGroup) bool { return !g.Flags.HasAvailableFlags() })
}

// AddSharedFlags adds the shared flags, such as --json, to every command that has subcommands. The
// shell can then complete these flags also before the name of a subcommand.
func AddSharedFlags(root *cobra.Command) {
	shared := pflag.NewFlagSet("shared", pflag.ContinueOnError)
	var groups []*cobra.Command
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.HasSubCommands() {
			groups = append(groups, cmd)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if isSharedFlag(f) && shared.Lookup(f.Name) == nil {
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

// isSharedFlag reports whether a flag belongs to a group that many commands have.
func isSharedFlag(f *pflag.Flag) bool {
	note := f.Annotations[groupAnnotation]
	return len(note) > 0 && (note[0] == GroupService || note[0] == GroupOutput)
}

// StripBackquotes removes the backquotes around the names of values from the usages of all
// flags, because shells would show them in completions.
func StripBackquotes(cmd *cobra.Command) {
	plain := func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") }
	cmd.Flags().VisitAll(plain)
	cmd.PersistentFlags().VisitAll(plain)
	for _, child := range cmd.Commands() {
		StripBackquotes(child)
	}
}

// FlagError returns the error for an invalid flag, or for a flag that only other commands
// have. If the command itself is unknown, it returns the error of [RunGroup] about that.
func (f *Factory) FlagError(cmd *cobra.Command, err error) error {
	known := sync.OnceValue(func() *pflag.FlagSet { return AllFlags(cmd.Root()) })
	group, _, flags, rest := splitArgs(cmd.Root(), known, f.Args)
	isUnknown := func(arg string) bool { // the word after an unknown flag may be its value
		name, isFlag := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		return isFlag && known().Lookup(name) == nil
	}
	if group.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && !slices.ContainsFunc(flags, isUnknown) {
		return RunGroup(group, rest)
	}
	return flagError(cmd, err)
}

// flagError returns the error for an invalid flag of a known command.
func flagError(cmd *cobra.Command, err error) error {
	var (
		known   *exit.Error
		missing *pflag.NotExistError
	)
	if errors.As(err, &known) {
		return known
	}
	e := invalidFlagError(err).WithHint("see `%s --help`", cmd.CommandPath())
	if !errors.As(err, &missing) {
		return e
	}
	name := missing.GetSpecifiedName()
	switch all := AllFlags(cmd.Root()); {
	case missing.GetSpecifiedShortnames() != "":
		if flag := all.ShorthandLookup(name); flag != nil {
			e.Fact = "-" + name + " (--" + flag.Name + ") has no effect on " + cmd.CommandPath()
		}
	case all.Lookup(name) != nil:
		e.Fact = "--" + name + " has no effect on " + cmd.CommandPath()
	default:
		if likely := nearestFlag(name, cmd.Flags()); likely != "" {
			e = e.WithHint("did you mean --%s?", likely)
		}
	}
	return e
}

// nearestFlag returns the flag that an unknown name probably means. This flag starts with name, or
// has an edit distance of at most two to name. nearestFlag returns "" if there is no such flag.
func nearestFlag(name string, flags *pflag.FlagSet) string {
	best, distance := "", 3
	flags.VisitAll(func(f *pflag.Flag) {
		d := csvfile.EditDistance([]rune(name), []rune(f.Name), distance)
		if strings.HasPrefix(f.Name, name) {
			d = 1
		}
		if d < distance {
			best, distance = f.Name, d
		}
	})
	return best
}

// IsQuiet reports whether --quiet is set.
func IsQuiet(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup("quiet")
	return flag != nil && flag.Value.String() == "true"
}

// PositionalArgs returns a function that checks the arguments of a command. names are the names of
// the arguments. A name in brackets is optional. If the last name ends in "...", the argument may
// be repeated.
func PositionalArgs(names ...string) cobra.PositionalArgs {
	required, repeats := 0, false
	for _, name := range names {
		repeats = strings.HasSuffix(name, "...")
		if !strings.HasPrefix(name, "[") {
			required++
		}
	}
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < required:
			return exit.Usagef("missing %s", strings.Join(names[len(args):required], " and ")).
				WithHint("usage: %s", cmd.UseLine())
		case len(args) > len(names) && !repeats:
			return exit.Usagef("unexpected argument %q", args[len(names)]).
				WithHint("usage: %s", cmd.UseLine())
		}
		return nil
	}
}

// NoArgs returns an error if there are arguments.
func NoArgs(cmd *cobra.Command, args []string) error { return PositionalArgs()(cmd, args) }

// SimilarNames returns the elements of names that the user may have meant by the word typed, at
// most three. These are the names with the smallest edit distance to this word, if the distance is
// at most two. A name that starts with the word counts as distance one. Case is ignored.
func SimilarNames(typed string, names []string) []string {
	var found []string
	nearest := 3
	typed = strings.ToLower(typed)
	for _, name := range names {
		distance := csvfile.EditDistance([]rune(typed), []rune(strings.ToLower(name)), 3)
		if typed != "" && strings.HasPrefix(strings.ToLower(name), typed) {
			distance = 1
		}
		if distance < nearest {
			found, nearest = nil, distance
		}
		if distance == nearest && distance < 3 && len(found) < 3 {
			found = append(found, name)
		}
	}
	return found
}
