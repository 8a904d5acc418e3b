package cli

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"foretell/internal/exit"
)

// invalidFlagError returns the error for an invalid flag value.
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
	"float": "a number from 0 to 1, or auto", "duration": "a duration such as 90s, 30m or 2h", "age": "an age such as 30d or 12h",
	"stringSlice": "values separated by commas; a value that has a comma or a quote is in double quotes, and a quote in it is doubled",
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
