package cmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
)

// completionPatience is how long a shell waits for names.
const completionPatience = 2 * time.Second

// namesOf lists what a reference may be typed as.
type namesOf func(ctx context.Context, conn *connection) ([]string, error)

// complete gives shells the references of a command's first argument. A service
// that cannot be asked has no names to offer.
func (o *connector) complete(names namesOf) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault // a file
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionPatience)
		defer cancel()
		idle := *o
		idle.idle = true
		conn, err := idle.connect(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer conn.Close()
		found, _ := names(ctx, conn) // what came of it will do
		return append(found, last), cobra.ShellCompDirectiveNoFileComp
	}
}

func datasetNames(ctx context.Context, conn *connection) ([]string, error) {
	var names []string
	for d, err := range client.AllDatasets(ctx, conn.Client, api.ListDatasetsInput{}) {
		if err != nil {
			return names, err
		}
		names = append(names, d.DatasetName)
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
	for d, err := range client.AllDatasets(ctx, conn.Client, api.ListDatasetsInput{WithModelOnly: true}) {
		if err != nil {
			return names, err
		}
		names = append(names, d.DatasetName+"@champion")
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
