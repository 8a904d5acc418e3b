package connect

import (
	"context"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/config"
)

// CompletionTimeout is how long the completion of an argument waits for the service.
const CompletionTimeout = 2 * time.Second

// ReferenceLister returns the references that a completion offers, each with a description
// after a tab.
type ReferenceLister func(ctx context.Context, session *Session) ([]string, error)

// CompleteReference completes the first argument with a reference that lister returns, or with
// @last, which means the newest object. If the service is not reachable, only @last is offered.
func (o *ServiceFlags) CompleteReference(lister ReferenceLister) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cli.ArgCompletionDirective(cmd, len(args))
		}
		return append(o.fetchRefs(cmd.Context(), lister), cli.LastRef), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteReferenceOrWord completes the value of a flag with word, or with a reference that lister
// returns.
func (o *ServiceFlags) CompleteReferenceOrWord(word string, lister ReferenceLister) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return append([]string{word}, o.fetchRefs(cmd.Context(), lister)...), cobra.ShellCompDirectiveNoFileComp
	}
}

// fetchRefs returns the references that lister returns within CompletionTimeout. It returns nil if
// the service is not reachable.
func (o *ServiceFlags) fetchRefs(ctx context.Context, lister ReferenceLister) []string {
	ctx, cancel := context.WithTimeout(ctx, CompletionTimeout)
	defer cancel()
	session, err := o.ConnectToRead(ctx)
	if err != nil || session == nil {
		return nil
	}
	defer session.Close()
	found, _ := lister(ctx, session) // the references listed before an error are still useful
	return found
}

// ConnectToRead is like Connect, for a session that changes nothing. It returns nil instead of
// creating a data folder.
func (o *ServiceFlags) ConnectToRead(ctx context.Context) (*Session, error) {
	if !o.hasService() {
		return nil, nil
	}
	idle := *o
	idle.NoJobs, idle.ReadOnly = true, true
	return idle.Connect(ctx)
}

// hasService reports whether a service is configured or a data folder exists. Otherwise Connect
// would create a data folder.
func (o *ServiceFlags) hasService() bool {
	s, err := config.Load(o.Factory.Env, o.Cmd.Flags())
	if err != nil {
		return false
	}
	if s.GetString(config.KeyServer) != "" && !o.WantsEmbedded() {
		return true
	}
	dir, err := config.DataDir(o.Factory.Env, s)
	if err != nil {
		return false
	}
	_, err = os.Stat(dir)
	return err == nil
}

// ListDatasetRefs returns the names of datasets, with their status as description. On an error, it
// also returns the names that it has already read. The other listers do the same.
func ListDatasetRefs(ctx context.Context, session *Session) ([]string, error) {
	var names []string
	for d, err := range client.AllDatasets(ctx, session.Client, api.ListDatasetsInput{}) {
		if err != nil {
			return names, err
		}
		names = append(names, cobra.CompletionWithDesc(d.DatasetName, d.Status))
	}
	return names, nil
}

// ListTrainingRefs returns the keys of races, with dataset and status as description.
func ListTrainingRefs(ctx context.Context, session *Session) ([]string, error) {
	var names []string
	for t, err := range client.AllTrainings(ctx, session.Client, true) {
		if err != nil {
			return names, err
		}
		names = append(names, cobra.CompletionWithDesc(t.TrainingJobKey, t.DatasetName+" "+t.Status))
	}
	return names, nil
}

// ListModelRefs returns references to models, such as NAME@v3, with algorithm and performance
// as description.
func ListModelRefs(ctx context.Context, session *Session) ([]string, error) {
	var names []string
	for m, err := range session.AllModels(ctx) {
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
		names = append(names, cobra.CompletionWithDesc(m.Reference(), about))
	}
	return names, nil
}

// ListPredictionRefs returns the keys of predictions, with dataset and status as description.
func ListPredictionRefs(ctx context.Context, session *Session) ([]string, error) {
	var names []string
	for p, err := range session.AllPredictions(ctx) {
		if err != nil {
			return names, err
		}
		names = append(names, cobra.CompletionWithDesc(p.PredictionKey, p.DatasetName+" "+p.Status))
	}
	return names, nil
}
