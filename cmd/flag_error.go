package cmd

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

// badFlag says what is wrong with a flag, in words of our own where those of the
// library speak of its parser.
func badFlag(err error) *failure {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return usage("%w", err)
	}
	name, wants := invalid.GetFlag().Name, invalid.GetFlag().Value.Type()
	if words, ok := wanted[wants]; ok {
		wants = words
	}
	return usage("--%s %q: %s is needed", name, invalid.GetValue(), wants)
}

// wanted says in words what the types of flags take.
var wanted = map[string]string{
	"bool": "true or false", "uint": "a whole number from 0", "int": "a whole number", "int64": "a whole number",
	"float": "a number from 0 to 1, or auto", "duration": "a duration such as 90s, 30m or 2h",
}

var excluding = regexp.MustCompile(`\[([^\]]*)\] were all set`)

// contradiction says which flags exclude each other.
func contradiction(err error) *failure {
	set := excluding.FindStringSubmatch(err.Error())
	if set == nil {
		return usage("%w", err)
	}
	return usage("--%s exclude each other", strings.Join(strings.Fields(set[1]), " and --"))
}
