package cmd

import (
	"context"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
)

var (
	trainingColumns = []string{
		"trainingJobKey", "datasetName", "status", "achievedPerformance", "testPerformance", "createdOn",
	}
	trainingMembers = []string{
		"trainingJobKey", "parentTrainingJobKey", "algorithm", "datasetKey", "datasetName", "status", "failureReason",
		"metric", "scalingFactor", "targetPerformance", "achievedPerformance", "testPerformance", "trainingPerformance",
		"modelKey", "createdOn", "startedOn", "finishedOn",
	}
)

func newTrainingCmd(h *host) *cobra.Command {
	cmd := &cobra.Command{
		Use: "training", Aliases: []string{"trainings"},
		Short: "Races of the algorithms on a dataset",
		Long: `A training is a race of four algorithms on one dataset. The first to reach the
threshold wins and the others stop; if none does, the best model is kept.

REF is a training's key, at least 6 characters of it, the name of its dataset
(its newest race), or @last.`,
	}
	cmd.AddCommand(
		newTrainingListCmd(h), newTrainingGetCmd(h), newTrainingCreateCmd(h), newTrainingProgressCmd(h),
		newTrainingWatchCmd(h), newTrainingWaitCmd(h), newTrainingCancelCmd(h), newTrainingDeleteCmd(h),
	)
	return cmd
}

type trainingListOptions struct {
	connector connector
	output    output
	lister    lister

	all bool
}

func newTrainingListCmd(h *host) *cobra.Command {
	opts := &trainingListOptions{connector: connector{idle: true}}
	cmd := &cobra.Command{
		Use: "list [DATASET]", Short: "List races, newest first", Args: takes("[DATASET]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.connector.bind(cmd, h)
	opts.output.bindList(cmd, h)
	opts.lister.bind(cmd)
	cmd.Flags().BoolVar(&opts.all, "all", false, "also the jobs of the single algorithms")
	cmd.ValidArgsFunction = opts.connector.complete(datasetNames)
	return cmd
}

func (o *trainingListOptions) run(ctx context.Context, args []string) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	jobs := client.AllTrainings(ctx, conn.Client, !o.all)
	if len(args) > 0 {
		key, err := conn.datasetKey(ctx, args[0])
		if err != nil {
			return err
		}
		jobs = client.AllTrainingsOfDataset(ctx, conn.Client, key)
		if !o.all {
			jobs = parents(jobs)
		}
	}
	trainings, err := collectSome(jobs, o.lister.limit)
	if err != nil {
		return err
	}
	columns := trainingColumns
	if o.all {
		columns = append([]string{"trainingJobKey", "algorithm"}, columns[1:]...)
	}
	return list(&o.output, trainings, columns...)
}

// parents leaves the jobs of single algorithms out.
func parents(jobs iter.Seq2[api.Training, error]) iter.Seq2[api.Training, error] {
	return func(yield func(api.Training, error) bool) {
		for job, err := range jobs {
			if (err != nil || job.ParentTrainingJobKey == "") && !yield(job, err) {
				return
			}
		}
	}
}

type trainingGetOptions struct {
	connector connector
	output    output
}

func newTrainingGetCmd(h *host) *cobra.Command {
	opts := &trainingGetOptions{connector: connector{idle: true}}
	cmd := &cobra.Command{
		Use: "get REF", Short: "Show a race", Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.connector.bind(cmd, h)
	opts.output.bindItem(cmd, h)
	cmd.ValidArgsFunction = opts.connector.complete(trainingNames)
	return cmd
}

func (o *trainingGetOptions) run(ctx context.Context, ref string) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	key, err := conn.trainingKey(ctx, ref)
	if err != nil {
		return err
	}
	job, err := client.Call(ctx, conn.Client, api.GetTraining, &api.TrainingInput{TrainingJobKey: key})
	if err != nil {
		return err
	}
	return item(&o.output, job, trainingMembers...)
}

type trainingProgressOptions struct {
	connector connector
	output    output
}

func newTrainingProgressCmd(h *host) *cobra.Command {
	opts := &trainingProgressOptions{connector: connector{idle: true}}
	cmd := &cobra.Command{
		Use: "progress REF", Short: "Show how far each algorithm of a race has come", Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.connector.bind(cmd, h)
	opts.output.bindItem(cmd, h)
	cmd.ValidArgsFunction = opts.connector.complete(trainingNames)
	return cmd
}

func (o *trainingProgressOptions) run(ctx context.Context, ref string) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	key, err := conn.trainingKey(ctx, ref)
	if err != nil {
		return err
	}
	progress, err := client.Call(ctx, conn.Client, api.GetTrainingProgress, &api.TrainingInput{TrainingJobKey: key})
	if err != nil {
		return err
	}
	if o.output.json || len(o.output.fields) > 0 {
		return item(&o.output, progress, "status")
	}
	return list(&o.output, progress.Jobs, "trainingJobKey", "algorithm", "status", "latestPerformance", "recentPerformances")
}

type trainingCancelOptions struct {
	waiter waiter
	output output
}

func newTrainingCancelCmd(h *host) *cobra.Command {
	opts := &trainingCancelOptions{}
	cmd := &cobra.Command{
		Use: "cancel REF", Short: "Stop a race; the best model so far is kept", Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.waiter.connector.bind(cmd, h)
	opts.output.bindItem(cmd, h)
	cmd.ValidArgsFunction = opts.waiter.complete(trainingNames)
	return cmd
}

func (o *trainingCancelOptions) run(ctx context.Context, ref string) error {
	conn, err := o.waiter.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	key, err := conn.trainingKey(ctx, ref)
	if err != nil {
		return err
	}
	job, err := client.Call(ctx, conn.Client, api.CancelTraining, &api.TrainingInput{TrainingJobKey: key})
	if err != nil {
		return err
	}
	return item(&o.output, job, trainingMembers...)
}

type trainingDeleteOptions struct {
	connector connector
	asker     asker
	output    output
}

func newTrainingDeleteCmd(h *host) *cobra.Command {
	opts := &trainingDeleteOptions{}
	cmd := &cobra.Command{
		Use: "delete REF", Short: "Delete a finished race with its model and predictions", Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.connector.bind(cmd, h)
	opts.asker.bind(cmd, h)
	opts.output.bindItem(cmd, h)
	cmd.ValidArgsFunction = opts.connector.complete(trainingNames)
	return cmd
}

func (o *trainingDeleteOptions) run(ctx context.Context, ref string) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	key, err := conn.trainingKey(ctx, ref)
	if err != nil {
		return err
	}
	if err := o.asker.confirm(ctx, fmt.Sprintf("Delete training %s with its model and predictions?", key)); err != nil {
		return err
	}
	if _, err := client.Call(ctx, conn.Client, api.DeleteTraining, &api.TrainingInput{TrainingJobKey: key}); err != nil {
		return err
	}
	return printDeleted(&o.output, deleted{TrainingJobKey: key}, "trainingJobKey")
}
