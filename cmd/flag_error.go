package cmd

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

// invalidFlagError says what is wrong with a flag, in words of our own where those of the
// library speak of its parser.
func invalidFlagError(err error) *cliError {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return usageErrorf("%w", err)
	}
	name, wants := invalid.GetFlag().Name, invalid.GetFlag().Value.Type()
	if words, ok := typeNames[wants]; ok {
		wants = words
	}
	return usageErrorf("--%s %q: %s is needed", name, invalid.GetValue(), wants)
}

// typeNames says in words what the types of flags take.
var typeNames = map[string]string{
	"bool": "true or false", "uint": "a whole number from 0", "int": "a whole number", "int64": "a whole number",
	"float": "a number from 0 to 1, or auto", "duration": "a duration such as 90s, 30m or 2h",
}

var exclusivePattern = regexp.MustCompile(`\[([^\]]*)\] were all set`)

// exclusiveFlagsError says which flags exclude each other.
func exclusiveFlagsError(err error) *cliError {
	set := exclusivePattern.FindStringSubmatch(err.Error())
	if set == nil {
		return usageErrorf("%w", err)
	}
	return usageErrorf("--%s exclude each other", strings.Join(strings.Fields(set[1]), " and --"))
}
