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

// completionPatience is how long a shell waits for names.
const completionPatience = 2 * time.Second

// namesOf lists what a reference may be typed as.
type namesOf func(ctx context.Context, conn *connection) ([]string, error)

// complete offers shells the references of a command's first argument. A service
// that cannot be asked has no names to offer.
func (o *connector) complete(names namesOf) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, argumentDirective(cmd, len(args))
		}
		return append(o.ask(cmd.Context(), names), last), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeOr offers shells the references that a flag takes, and a word that it
// takes, too.
func (o *connector) completeOr(word string, names namesOf) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return append([]string{word}, o.ask(cmd.Context(), names)...), cobra.ShellCompDirectiveNoFileComp
	}
}

// ask gets names from the service, as many as come within a shell's patience.
func (o *connector) ask(ctx context.Context, names namesOf) []string {
	if !o.exists() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, completionPatience)
	defer cancel()
	idle := *o
	idle.idle = true
	conn, err := idle.connect(ctx)
	if err != nil {
		return nil
	}
	defer conn.Close()
	found, _ := names(ctx, conn) // what came of it will do
	return found
}

// exists reports whether there is a service to ask: a question of a shell makes
// no data folder.
func (o *connector) exists() bool {
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

func datasetNames(ctx context.Context, conn *connection) ([]string, error) {
	var names []string
	for d, err := range client.AllDatasets(ctx, conn.Client, api.ListDatasetsInput{}) {
		if err != nil {
			return names, err
		}
		names = append(names, cobra.CompletionWithDesc(d.DatasetName, d.Status))
	}
	return names, nil
}

func trainingNames(ctx context.Context, conn *connection) ([]string, error) {
	var names []string
	for t, err := range client.AllTrainings(ctx, conn.Client, true) {
		if err != nil {
			return names, err
		}
		names = append(names, cobra.CompletionWithDesc(t.TrainingJobKey, t.DatasetName+" "+t.Status))
	}
	return names, nil
}

func modelNames(ctx context.Context, conn *connection) ([]string, error) {
	var names []string
	for m, err := range conn.allModels(ctx) {
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

func predictionNames(ctx context.Context, conn *connection) ([]string, error) {
	var names []string
	for p, err := range conn.allPredictions(ctx) {
		if err != nil {
			return names, err
		}
		names = append(names, cobra.CompletionWithDesc(p.PredictionKey, p.DatasetName+" "+p.Status))
	}
	return names, nil
}

// completeColumns offers shells the columns of the first file among a command's
// arguments.
func (s *shaper) completeColumns(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionPatience)
	defer cancel()
	for _, path := range args {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		in, err := s.input(ctx, nil, false, path)
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

// completeRest offers shells something better than file names where no file is
// meant, for all arguments and flags that have nothing of their own.
func completeRest(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return nil, argumentDirective(cmd, len(args))
		}
	}
	visit := func(f *pflag.Flag) {
		if _, known := cmd.GetFlagCompletionFunc(f.Name); !known && f.NoOptDefVal == "" {
			value, _ := pflag.UnquoteUsage(f)
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(nil, directiveOf(value))) // the flag is there
		}
	}
	cmd.LocalNonPersistentFlags().VisitAll(visit)
	for _, child := range cmd.Commands() {
		completeRest(child)
	}
}

// argumentDirective returns what a shell offers for the nth argument: files where
// the usage line says that one is meant.
func argumentDirective(cmd *cobra.Command, n int) cobra.ShellCompDirective {
	words := strings.Fields(cmd.Use)[1:]
	words = slices.DeleteFunc(words, func(word string) bool {
		return strings.Trim(word, "[]-.") != strings.ToUpper(strings.Trim(word, "[]-."))
	})
	if n >= len(words) {
		return cobra.ShellCompDirectiveNoFileComp
	}
	return directiveOf(strings.Trim(words[n], "[]."))
}

// directiveOf returns what a shell offers for a value by what help calls it.
func directiveOf(value string) cobra.ShellCompDirective {
	switch value {
	case "FILE", "TRAIN", "BLIND", "RESULT", "RECEIPT", "CSV":
		return cobra.ShellCompDirectiveDefault
	case "DIR", "folder":
		return cobra.ShellCompDirectiveFilterDirs
	}
	return cobra.ShellCompDirectiveNoFileComp
}

// choices lets a shell offer the values of a flag that has few.
func choices(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// completeMore lets a shell complete names with commas between them: those that
// are not named yet.
func completeMore(names []string) cobra.CompletionFunc {
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

// completeProfiles offers shells the profiles of the config file.
func (h *host) completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	file, err := h.readConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Sorted(maps.Keys(file.GetStringMap("profiles"))), cobra.ShellCompDirectiveNoFileComp
}
