package cli

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/config"
	"foretell/internal/exit"
)

// flagVariable returns the environment variable of a flag of serve and worker.
func flagVariable(flag string) string {
	return "FORETELL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// FlagVariablesText explains the environment variables of a command's flags. example is one
// of the flags.
func FlagVariablesText(example string) string {
	return "Each flag can be set by an environment variable: for example, " + flagVariable(example) + "\n" +
		"sets --" + example + ". Flags override variables."
}

// SetFlagsFromVariables sets each flag of cmd that is not on the command line to the value of
// its environment variable, if that is not empty. It skips persistent flags, which
// have their own variables.
func SetFlagsFromVariables(cmd *cobra.Command, env func(string) string) error {
	var failed *exit.Error
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		name := flagVariable(f.Name)
		value := env(name)
		if f.Changed || value == "" || f.Name == "help" || failed != nil {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			failed = invalidFlagError(err).WithHint("see `%s --help`", cmd.CommandPath())
			failed.Fact = strings.Replace(failed.Fact, "--"+f.Name, name, 1)
		}
	})
	if failed != nil {
		return failed
	}
	return nil
}

// foreignVariables matches the variables that tests of the program read, and those that Kubernetes
// sets in each pod if a service has a name such as foretell.
var foreignVariables = regexp.MustCompile(`^FORETELL_(TEST_.*|(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_.*)?)?))$`)

// UnknownVariables returns the names of the variables in environ that begin with FORETELL_ but that
// neither a command nor a flag of serve or worker reads, sorted. They are probably misspelt. A
// variable of another command is known, because commands may share an environment file. root is the
// root command.
func UnknownVariables(root *cobra.Command, environ []string) []string {
	known := map[string]bool{}
	for _, v := range config.Variables {
		known[v.Name] = true
	}
	for _, cmd := range root.Commands() {
		if cmd.Name() == "serve" || cmd.Name() == "worker" {
			cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { known[flagVariable(f.Name)] = true })
		}
	}
	unknown := map[string]bool{}
	for _, text := range environ {
		name, value, _ := strings.Cut(text, "=")
		if value != "" && strings.HasPrefix(name, "FORETELL_") && !known[name] && !foreignVariables.MatchString(name) {
			unknown[name] = true
		}
	}
	return slices.Sorted(maps.Keys(unknown))
}
