package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/config"
)

// SetDefaultCompletions adds completions to cmd and its subcommands, for every argument and flag
// that has no completion yet. Unlike the default of cobra, it offers file names only where a file
// is expected.
func SetDefaultCompletions(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return nil, ArgCompletionDirective(cmd, len(args))
		}
	}
	visit := func(f *pflag.Flag) {
		if _, known := cmd.GetFlagCompletionFunc(f.Name); !known && f.NoOptDefVal == "" {
			value, _ := pflag.UnquoteUsage(f)
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(nil, valueCompletionDirective(value))) // fails only if the flag is not defined
		}
	}
	cmd.LocalNonPersistentFlags().VisitAll(visit)
	for _, child := range cmd.Commands() {
		SetDefaultCompletions(child)
	}
}

// ArgCompletionDirective returns the directive for the completion of the argument with the index
// argIndex. Files are offered if the usage line of cmd shows that this argument is a file. If the
// last argument of the usage line ends in "...", further arguments count as this argument.
func ArgCompletionDirective(cmd *cobra.Command, argIndex int) cobra.ShellCompDirective {
	words := strings.Fields(cmd.Use)[1:]
	words = slices.DeleteFunc(words, func(word string) bool {
		return strings.Trim(word, "[]-.") != strings.ToUpper(strings.Trim(word, "[]-."))
	})
	if last := len(words) - 1; argIndex > last {
		if last < 0 || !strings.HasSuffix(words[last], "...") {
			return cobra.ShellCompDirectiveNoFileComp
		}
		argIndex = last
	}
	return valueCompletionDirective(strings.Trim(words[argIndex], "[]."))
}

// valueCompletionDirective returns the completion directive for a value. placeholder is the word
// for the value in help pages, such as FILE. Its case is ignored.
func valueCompletionDirective(placeholder string) cobra.ShellCompDirective {
	switch strings.ToUpper(placeholder) {
	case "FILE", "TRAIN", "BLIND", "RESULT", "RECEIPT", "PREDICTIONS", "ANSWERS":
		return cobra.ShellCompDirectiveDefault
	case "DIR", "FOLDER":
		return cobra.ShellCompDirectiveFilterDirs
	}
	return cobra.ShellCompDirectiveNoFileComp
}

// SetFlagCompletions sets the values that the completion of a flag offers.
func SetFlagCompletions(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // fails only if the flag is not defined
}

// CompleteList completes a comma-separated list of names. It does not offer names that are
// already in the list.
func CompleteList(names []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		named := typed[:strings.LastIndex(typed, ",")+1]
		var found []string
		for _, name := range names {
			bare, _, _ := strings.Cut(name, "\t") // a description follows the tab
			if !slices.Contains(strings.Split(named, ","), bare) {
				found = append(found, named+name)
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
	}
}

// CompleteProfiles completes the names of the profiles in the config file.
func CompleteProfiles(f *Factory) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		file, err := config.ReadFile(f.Env)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return slices.Sorted(maps.Keys(file.GetStringMap("profiles"))), cobra.ShellCompDirectiveNoFileComp
	}
}
