package cli

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/exit"
)

// invalidFlagError converts err, an error of pflag for an invalid flag value, to a usage error.
func invalidFlagError(err error) *exit.Error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return exit.Usagef("%w", err)
	}
	name, wants := invalid.GetFlag().Name, invalid.GetFlag().Value.Type()
	if words, ok := flagTypeNames[wants]; ok {
		wants = words
	}
	return exit.Usagef("invalid --%s %q: must be %s", name, invalid.GetValue(), wants)
}

// flagTypeNames describes the valid values of a flag by the type of the flag.
var flagTypeNames = map[string]string{
	"bool": "true or false", "uint": "a non-negative integer", "int": "an integer", "int64": "an integer",
	"float": "a number between 0 and 1, or auto", "duration": "a duration such as 90s, 30m or 2h", "age": "an age such as 30d or 12h",
	"stringSlice": "values separated by commas; put a value that contains a comma or a quote in double quotes, and double each quote in it",
}

var exclusiveFlagsPattern = regexp.MustCompile(`\[([^\]]*)\] were all set`)

// ExclusiveFlagsError converts err, an error of cobra for flags that exclude each other.
func ExclusiveFlagsError(err error) *exit.Error {
	set := exclusiveFlagsPattern.FindStringSubmatch(err.Error())
	if set == nil {
		return exit.Usagef("%w", err)
	}
	return exit.Usagef("--%s cannot be used together", strings.Join(strings.Fields(set[1]), " and --"))
}

// flagsThatMayBeEmpty are the flags whose empty value has a meaning: an empty --database overrides
// FORETELL_DATABASE, and the values of the other flags are texts that may be empty.
var flagsThatMayBeEmpty = []string{"database", "description", "organisation"}

// CheckEmptyFlags returns a usage error if a flag on the command line has an empty value. A command
// would treat the flag as omitted: with --server "$URL" and an unset variable, for example, it
// would run without a server.
func CheckEmptyFlags(cmd *cobra.Command) error {
	var empty *exit.Error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if empty == nil && hasNoText(f) && !slices.Contains(flagsThatMayBeEmpty, f.Name) {
			empty = exit.Usagef("--%s is empty", f.Name).WithHint("give the option a value, or omit the option; in a script, check that the variable with the value is set")
		}
	})
	if empty == nil {
		return nil
	}
	return empty
}

// emptyArgAllowed has the paths of commands that check empty arguments themselves, because an empty
// value of a setting has its own hint.
var emptyArgAllowed = []string{"foretell config set"}

// CheckEmptyArgs returns a usage error if an argument of a command is empty. A command would search
// for an object or a file without a name, or use a default as if the argument were omitted.
func CheckEmptyArgs(cmd *cobra.Command, args []string) error {
	i := slices.Index(args, "")
	if i < 0 || cmd.DisableFlagParsing || slices.Contains(emptyArgAllowed, cmd.CommandPath()) { // the command for completions parses no flags
		return nil
	}
	return exit.Usagef("argument %d is empty", i+1).WithHint("give the argument a value; in a script, check that the variable with the value is set")
}

// hasNoText reports whether the value of a flag is an empty text, or a list with only empty texts.
func hasNoText(f *pflag.Flag) bool {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return !slices.ContainsFunc(list.GetSlice(), func(text string) bool { return text != "" })
	}
	_, isAge := f.Value.(*AgeFlag) // its text is empty for 0, but it accepts no empty text
	return f.Value.String() == "" && !isAge
}
