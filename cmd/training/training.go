// Package training implements the command training and its subcommands, such as training list,
// create and watch.
package training

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"foretell/cmd/crud"
	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/requirement"
)

// trainingListFields are the fields that `training list` prints.
var trainingListFields = []string{
	"trainingJobKey", "datasetName", "outcome", "achievedPerformance", "logLoss", "testPerformance", "createdOn",
}

// NewTrainingCmd returns the command training.
func NewTrainingCmd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "training", Aliases: []string{"trainings"},
		Short: "Manage races of the algorithms on datasets",
		Long: `A training is a race of four algorithms on one dataset. With a threshold, the first
algorithm that reaches the threshold wins and the others stop. Without a
threshold, all algorithms train until they no longer improve. If there is no threshold, or
no algorithm reaches it, the model is a blend of the algorithms.

REF selects a training. It has one of these forms:

  KEY    the key of the training, or at least its first 6 characters
  NAME   the newest training on the dataset NAME
  @last  the newest training`,
	}
	cmd.AddCommand(
		newTrainingListCmd(f), newTrainingGetCmd(f), newTrainingCreateCmd(f), newTrainingProgressCmd(f),
		newTrainingWatchCmd(f), newTrainingWaitCmd(f), newTrainingCancelCmd(f), newTrainingDeleteCmd(f),
	)
	return cmd
}

type trainingListOptions struct {
	service connect.ServiceFlags
	output  cli.Output
	list    cli.ListFlags

	all bool
}

func newTrainingListCmd(f *cli.Factory) *cobra.Command {
	opts := &trainingListOptions{service: connect.ServiceFlags{NoJobs: true, ReadOnly: true}}
	cmd := &cobra.Command{
		Use: "list [DATASET]", Short: "List races, newest first", Args: cli.PositionalArgs("[DATASET]"),
		Long: "Lists the races on a dataset or series, or all races of the account, newest first.",
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[api.Training]())
	opts.output.EmptyHint = cli.FirstRunHint
	opts.list.Bind(cmd)
	cmd.Flags().BoolVar(&opts.all, "all", false, "also list the job of each algorithm of a race")
	cmd.ValidArgsFunction = opts.service.CompleteReference(connect.ListDatasetRefs)
	return cmd
}

func (o *trainingListOptions) run(ctx context.Context, args []string) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	jobs := client.AllTrainings(ctx, session.Client, !o.all)
	if o.output.Filtered = len(args) > 0; o.output.Filtered {
		series, err := session.ResolveSeries(ctx, args[0])
		if err != nil {
			return err
		}
		jobs = trainingsOfSeries(ctx, session.Client, series)
		if !o.all {
			jobs = withoutAlgorithmJobs(jobs)
		}
	}
	trainings, err := connect.CollectLimit(jobs, o.list.Limit)
	if err != nil {
		return err
	}
	columns := trainingListFields
	if o.all {
		columns = append([]string{"trainingJobKey", "algorithm"}, columns[1:]...)
	}
	return cli.PrintList(&o.output, trainings, columns...)
}

// trainingsOfSeries returns the training jobs on the datasets of a series, newest first.
func trainingsOfSeries(ctx context.Context, c *client.Client, s *client.Series) iter.Seq2[api.Training, error] {
	if len(s.Datasets) == 1 {
		return client.AllTrainingsOfDataset(ctx, c, s.Datasets[0].DatasetKey)
	}
	return func(yield func(api.Training, error) bool) {
		for job, err := range client.AllTrainings(ctx, c, false) {
			of := func(d api.DatasetEntry) bool { return d.DatasetKey == job.DatasetKey }
			if (err != nil || slices.ContainsFunc(s.Datasets, of)) && !yield(job, err) {
				return
			}
		}
	}
}

// withoutAlgorithmJobs returns jobs without the jobs of single algorithms.
func withoutAlgorithmJobs(jobs iter.Seq2[api.Training, error]) iter.Seq2[api.Training, error] {
	return func(yield func(api.Training, error) bool) {
		for job, err := range jobs {
			if (err != nil || job.ParentTrainingJobKey == "") && !yield(job, err) {
				return
			}
		}
	}
}

func newTrainingGetCmd(f *cli.Factory) *cobra.Command {
	return crud.NewRequestCmd(f, crud.RequestCommand[*api.Training]{
		Use: "get REF", Short: "Show a race", Resource: crud.Trainings,
		Fetch: func(ctx context.Context, c *client.Client, key string) (*api.Training, error) {
			return client.Call(ctx, c, api.GetTraining, &api.TrainingInput{TrainingJobKey: key})
		},
		Print: printTraining,
	})
}

func printTraining(o *cli.Output, job *api.Training) error {
	return cli.PrintItem(o, job, requirement.TrainingFields...)
}

func newTrainingProgressCmd(f *cli.Factory) *cobra.Command {
	return crud.NewRequestCmd(f, crud.RequestCommand[*api.TrainingProgress]{
		Use: "progress REF", Short: "Show the progress of each algorithm of a race", Resource: crud.Trainings,
		Fetch: func(ctx context.Context, c *client.Client, key string) (*api.TrainingProgress, error) {
			return client.Call(ctx, c, api.GetTrainingProgress, &api.TrainingProgressInput{TrainingInput: api.TrainingInput{TrainingJobKey: key}})
		},
		Print: printProgress,
	})
}

// printProgress prints the algorithms of a race as a table, or the whole progress as
// JSON.
func printProgress(o *cli.Output, p *api.TrainingProgress) error {
	if o.JSON || len(o.Fields) > 0 {
		return cli.PrintItem(o, p, "status")
	}
	return cli.PrintList(o, p.Jobs, "trainingJobKey", "algorithm", "outcome", "keptPerformance", "logLoss", "latestPerformance", "recentPerformances")
}

func newTrainingCancelCmd(f *cli.Factory) *cobra.Command {
	cmd := crud.NewRequestCmd(f, crud.RequestCommand[*api.Training]{
		Use: "cancel REF", Short: "Stop a race; the best model so far is kept", Resource: crud.Trainings,
		RunsJobs: true,
		Fetch: func(ctx context.Context, c *client.Client, key string) (*api.Training, error) {
			return client.Call(ctx, c, api.CancelTraining, &api.TrainingInput{TrainingJobKey: key})
		},
		Print: printTraining,
	})
	cli.BindNeedlessYes(cmd)
	return cmd
}

func newTrainingDeleteCmd(f *cli.Factory) *cobra.Command {
	return crud.NewDeleteCmd(f, crud.DeleteCommand{
		Short: "Delete a finished race with its model and predictions", Resource: crud.Trainings, Column: "trainingJobKey",
		Question: func(_ context.Context, _ *client.Client, key string) (string, error) {
			return fmt.Sprintf("Delete race %s with its model and predictions?", key), nil
		},
		Remove: func(ctx context.Context, c *client.Client, key string) (crud.Deleted, error) {
			_, err := client.Call(ctx, c, api.DeleteTraining, &api.TrainingInput{TrainingJobKey: key})
			return crud.Deleted{TrainingJobKey: key}, err
		},
	})
}
