package cmd

import (
	"context"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/api"
	"foretell/internal/client"
)

// completionTimeout limits how long a completion waits for the service.
const completionTimeout = 2 * time.Second

// nameLister lists the references that can be completed.
type nameLister func(ctx context.Context, session *session) ([]string, error)

// completeReference completes the first argument with references. It offers none if the
// service is not reachable.
func (o *serviceFlags) completeReference(names nameLister) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, argumentDirective(cmd, len(args))
		}
		return append(o.fetchNames(cmd.Context(), names), last), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeOrWord completes a flag with references and one additional word.
func (o *serviceFlags) completeOrWord(word string, names nameLister) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return append([]string{word}, o.fetchNames(cmd.Context(), names)...), cobra.ShellCompDirectiveNoFileComp
	}
}

// fetchNames returns the names that the service sends within completionTimeout.
func (o *serviceFlags) fetchNames(ctx context.Context, names nameLister) []string {
	if !o.hasService() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	idle := *o
	idle.idle = true
	session, err := idle.connect(ctx)
	if err != nil {
		return nil
	}
	defer session.Close()
	found, _ := names(ctx, session) // what came of it will do
	return found
}

// hasService reports whether there is a service to query: completion must not create a
// data folder.
func (o *serviceFlags) hasService() bool {
	s, err := o.host.settings(o.cmd.Flags())
	if err != nil {
		return false
	}
	if s.GetString(keyServer) != "" && !o.local {
		return true
	}
	dir, err := o.host.dataDir(s)
	if err != nil {
		return false
	}
	_, err = os.Stat(dir)
	return err == nil
}

func datasetNames(ctx context.Context, session *session) ([]string, error) {
	var names []string
	for d, err := range client.AllDatasets(ctx, session.Client, api.ListDatasetsInput{}) {
		if err != nil {
			return names, err
		}
		names = append(names, cobra.CompletionWithDesc(d.DatasetName, d.Status))
	}
	return names, nil
}

func trainingNames(ctx context.Context, session *session) ([]string, error) {
	var names []string
	for t, err := range client.AllTrainings(ctx, session.Client, true) {
		if err != nil {
			return names, err
		}
		names = append(names, cobra.CompletionWithDesc(t.TrainingJobKey, t.DatasetName+" "+t.Status))
	}
	return names, nil
}

func modelNames(ctx context.Context, session *session) ([]string, error) {
	var names []string
	for m, err := range session.allModels(ctx) {
		if err != nil {
			return names, err
		}
		about := api.AlgorithmTitle(m.Algorithm)
		if performance := m.AchievedPerformance.Value; !math.IsNaN(performance) {
			about += " " + strconv.FormatFloat(performance, 'f', 4, 64)
		}
		if m.Champion {
			names = append(names, cobra.CompletionWithDesc(m.Series+"@champion", about))
		}
		names = append(names, cobra.CompletionWithDesc(m.Series+"@v"+strconv.Itoa(m.SeriesVersion), about))
	}
	return names, nil
}

func predictionNames(ctx context.Context, session *session) ([]string, error) {
	var names []string
	for p, err := range session.allPredictions(ctx) {
		if err != nil {
			return names, err
		}
		names = append(names, cobra.CompletionWithDesc(p.PredictionKey, p.DatasetName+" "+p.Status))
	}
	return names, nil
}

// completeColumns completes the column names of the first file in the arguments.
func (s *layoutFlags) completeColumns(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
	defer cancel()
	for _, path := range args {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		in, err := s.openInput(ctx, nil, false, path)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer in.Close()
		names, _ := in.header(ctx) // nil for a file that cannot be read
		names = slices.DeleteFunc(names, func(name string) bool { return strings.ContainsAny(name, "\t\r\n") })
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeDefaults sets the completion of all arguments and flags that have none, so that
// file names are offered only where a file is expected.
func completeDefaults(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return nil, argumentDirective(cmd, len(args))
		}
	}
	visit := func(f *pflag.Flag) {
		if _, known := cmd.GetFlagCompletionFunc(f.Name); !known && f.NoOptDefVal == "" {
			value, _ := pflag.UnquoteUsage(f)
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(nil, valueDirective(value))) // the flag is there
		}
	}
	cmd.LocalNonPersistentFlags().VisitAll(visit)
	for _, child := range cmd.Commands() {
		completeDefaults(child)
	}
}

// argumentDirective returns the completion of the nth argument: files if the usage line
// names a file there.
func argumentDirective(cmd *cobra.Command, n int) cobra.ShellCompDirective {
	words := strings.Fields(cmd.Use)[1:]
	words = slices.DeleteFunc(words, func(word string) bool {
		return strings.Trim(word, "[]-.") != strings.ToUpper(strings.Trim(word, "[]-."))
	})
	if n >= len(words) {
		return cobra.ShellCompDirectiveNoFileComp
	}
	return valueDirective(strings.Trim(words[n], "[]."))
}

// valueDirective returns the completion of a value by its name in help pages.
func valueDirective(value string) cobra.ShellCompDirective {
	switch value {
	case "FILE", "TRAIN", "BLIND", "RESULT", "RECEIPT", "CSV":
		return cobra.ShellCompDirectiveDefault
	case "DIR", "folder":
		return cobra.ShellCompDirectiveFilterDirs
	}
	return cobra.ShellCompDirectiveNoFileComp
}

// completeValues sets the values that a flag is completed with.
func completeValues(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// completeList completes comma-separated names without those already typed.
func completeList(names []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		named := typed[:strings.LastIndex(typed, ",")+1]
		var found []string
		for _, name := range names {
			bare, _, _ := strings.Cut(name, "\t") // behind it is what shells show beside it
			if !slices.Contains(strings.Split(named, ","), bare) {
				found = append(found, named+name)
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeProfiles completes the profiles of the config file.
func (f *factory) completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	file, err := f.readConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Sorted(maps.Keys(file.GetStringMap("profiles"))), cobra.ShellCompDirectiveNoFileComp
}
