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

// flagEnvVar returns the environment variable that sets a flag of serve or worker:
// FORETELL_MAX_SESSIONS for max-sessions.
func flagEnvVar(flag string) string {
	return "FORETELL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// FlagEnvVarsHelp explains the environment variables of a command's flags. example is one
// of the flags.
func FlagEnvVarsHelp(example string) string {
	return "Each flag can be set by an environment variable: for example, " + flagEnvVar(example) + "\n" +
		"sets --" + example + ". Flags override variables."
}

// SetFlagsFromEnv sets the flags of cmd from their environment variables. It skips empty variables,
// flags that are on the command line, and the persistent flags of all commands, such as --color.
func SetFlagsFromEnv(cmd *cobra.Command, env func(string) string) error {
	var failed *exit.Error
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		name := flagEnvVar(f.Name)
		value := env(name)
		if f.Changed || value == "" || f.Name == "help" || failed != nil {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			failed = invalidFlagError(err).WithHint("see `%s --help`", cmd.CommandPath())
			failed.Fact = strings.Replace(failed.Fact, "--"+f.Name, name, 1)
			return
		}
		_ = cmd.Flags().SetAnnotation(f.Name, fromEnvAnnotation, []string{name}) // fails only if the flag is not defined
	})
	if failed != nil {
		return failed
	}
	return nil
}

// fromEnvAnnotation is the annotation of a flag that SetFlagsFromEnv has set. Its value is the name
// of the environment variable.
const fromEnvAnnotation = "foretell_from_env"

// nameEnvVar replaces the flag in a message such as "invalid --races 0" by the name of the environment
// variable, if the value of the flag is from that variable.
func nameEnvVar(cmd *cobra.Command, message string) string {
	name, found := strings.CutPrefix(message, "invalid --")
	if !found {
		return message
	}
	name = name[:max(0, strings.IndexAny(name, " :"))]
	flag := cmd.Flags().Lookup(name)
	if flag == nil || len(flag.Annotations[fromEnvAnnotation]) == 0 {
		return message
	}
	variable := flag.Annotations[fromEnvAnnotation][0]
	rest := strings.TrimPrefix(message, "invalid --"+name)
	return "invalid " + variable + strings.TrimPrefix(rest, " or "+variable)
}

// ignoredEnvVars matches variables that UnknownEnvVars ignores. These are the variables of the
// program's tests, and the variables that Kubernetes sets in each pod for a Kubernetes service
// named foretell.
var ignoredEnvVars = regexp.MustCompile(`^FORETELL_(TEST_.*|(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_.*)?)?))$`)

// UnknownEnvVars returns the sorted names of the variables in environ that begin with FORETELL_ but
// that no command reads. They are probably misspelt. root is the root command. The variables of all
// its subcommands are known.
func UnknownEnvVars(root *cobra.Command, environ []string) []string {
	known := map[string]bool{}
	for _, v := range config.EnvVars {
		known[v.Name] = true
	}
	for _, cmd := range root.Commands() {
		if cmd.Name() == "serve" || cmd.Name() == "worker" {
			cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { known[flagEnvVar(f.Name)] = true })
		}
	}
	unknown := map[string]bool{}
	for _, text := range environ {
		name, value, _ := strings.Cut(text, "=")
		if value != "" && strings.HasPrefix(name, "FORETELL_") && !known[name] && !ignoredEnvVars.MatchString(name) {
			unknown[name] = true
		}
	}
	return slices.Sorted(maps.Keys(unknown))
}
