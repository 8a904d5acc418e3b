package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
