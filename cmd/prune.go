package cmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/doctor"
	"foretell/internal/exit"
	"foretell/internal/prune"
)

// defaultPruneAge is the value of --older-than if neither --older-than nor --keep is set.
const defaultPruneAge = 30 * 24 * time.Hour

type pruneOptions struct {
	factory *cli.Factory
	service connect.ServiceFlags
	confirm cli.ConfirmFlag
	output  cli.Output

	olderThan cli.AgeFlag
	keep      int
	champions bool
}

func newPruneCmd(f *cli.Factory) *cobra.Command {
	opts := &pruneOptions{factory: f, service: connect.ServiceFlags{NoJobs: true}}
	cmd := &cobra.Command{
		Annotations: map[string]string{cli.DryRunResultAnnotation: "true"},
		Use:         "prune [NAME]", Short: "Delete old datasets, models and predictions to free space",
		Long: `With --older-than AGE, models that are older than AGE are deleted. With --keep N, all
models of a series except the N newest are deleted. With both flags, a model is deleted
only if both apply. The default is --older-than 30d. With NAME, only models of the
series NAME are deleted.

A model is deleted together with its race and its predictions. If all models and races
of a dataset are deleted, the dataset is deleted too, with its CSV. Predictions older
than --older-than are deleted even if their model is kept. Result files on your disk are
never deleted.

The champion of each series and all running and queued jobs are kept. If no model of a
series is promoted, its newest model that was neither rejected nor cancelled is kept,
too, because only models with its data and options can be the champion. Interrupted races
and predictions are deleted if they are older than --older-than. Work that waits for a
worker of a server is not interrupted, and is kept.`,
		Example: `  foretell prune --older-than 30d --dry-run
  foretell prune --keep 3 --yes
  foretell prune churn --keep 1 --keep-champions=false --yes`,
		Args: cli.PositionalArgs("[NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.Bind(cmd, f)
	opts.confirm.Bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[prune.Item]())
	flags := cmd.Flags()
	flags.Var(&opts.olderThan, "older-than", "delete what is older than this `age`, such as 30d or 12h")
	flags.IntVar(&opts.keep, "keep", 0, "keep the `N` newest models of each series")
	flags.BoolVar(&opts.champions, "keep-champions", true, "keep the champion and the newest model of each series")
	flags.Lookup("dry-run").Usage = "print what would be deleted, and delete nothing"
	cmd.ValidArgsFunction = opts.service.CompleteReference(connect.ListDatasetRefs)
	return cmd
}

func (o *pruneOptions) run(ctx context.Context, args []string) error {
	policy, err := o.policy()
	if err != nil {
		return err
	}
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	items, err := o.plan(ctx, session, args, policy)
	if err != nil {
		return err
	}
	if err := o.printOrphans(ctx, session); err != nil {
		return err
	}
	if len(items) == 0 {
		o.output.Note("nothing to delete")
		return cli.PrintList(&o.output, items, pruneListFields...)
	}
	if cli.IsDryRun(o.service.Cmd) {
		o.output.Note("would delete %s", prune.FormatSummary(items))
		return cli.PrintList(&o.output, items, pruneListFields...)
	}
	if err := o.confirm.Ask(ctx, "Delete "+prune.FormatSummary(items)+"?"); err != nil {
		return err
	}
	now, err := o.plan(ctx, session, args, policy)
	if err != nil {
		return err
	}
	gone, err := o.delete(ctx, session, prune.FilterConfirmed(items, now))
	if err != nil {
		return err
	}
	o.output.Note("deleted %s", prune.FormatSummary(gone))
	return cli.PrintList(&o.output, gone, pruneListFields...)
}

// printOrphans prints the number, size and age of the files in the data folder that the database
// does not refer to. prune does not delete them. With a server, printOrphans prints nothing.
func (o *pruneOptions) printOrphans(ctx context.Context, session *connect.Session) error {
	if !session.Embedded {
		return nil
	}
	orphans, err := session.App.Orphans(ctx)
	if err == nil && orphans.Count > 0 {
		o.output.Note("found %s; the database does not refer to these files, and each is deleted automatically 30 days after it was first found", doctor.SummarizeOrphans(o.factory, connect.StorageName(o.factory, o.service.Cmd), orphans))
	}
	return err
}

// pruneListFields are the fields that prune prints.
var pruneListFields = []string{"key", "kind", "name", "bytes", "createdOn"}

// policy returns the policy that the flags describe.
func (o *pruneOptions) policy() (prune.Policy, error) {
	p := prune.Policy{Champions: o.champions}
	if o.service.Cmd.Flags().Changed("keep") {
		if o.keep < 0 {
			return p, exit.Usagef("invalid --keep %d: must not be negative", o.keep)
		}
		p.Keep = &o.keep
	}
	age := time.Duration(o.olderThan)
	if p.Keep == nil && !o.service.Cmd.Flags().Changed("older-than") {
		age = defaultPruneAge
	}
	if age > 0 || o.service.Cmd.Flags().Changed("older-than") {
		p.Before = o.factory.Now().Add(-age)
	}
	return p, nil
}

// plan returns the items that policy selects for deletion, from the series args[0] or, without
// arguments, from all series.
func (o *pruneOptions) plan(ctx context.Context, session *connect.Session, args []string, policy prune.Policy) ([]prune.Item, error) {
	all, err := client.ListSeries(ctx, session.Client)
	if err != nil {
		return nil, err
	}
	if len(args) > 0 {
		series, err := session.ResolveSeries(ctx, args[0])
		if err != nil {
			return nil, err
		}
		all = []client.Series{*series}
	}
	return prune.PlanAll(ctx, session.Client, all, policy)
}

// delete deletes items. It returns the items that are now deleted, including those that another
// command had already deleted. It keeps an item that a job has begun to use since the plan was made.
func (o *pruneOptions) delete(ctx context.Context, session *connect.Session, items []prune.Item) (gone []prune.Item, err error) {
	stays := false // whether the last item that is not implied was kept; the implied items after it are then kept, too
	for _, item := range items {
		if !item.Implied {
			err := prune.Delete(ctx, session.Client, item)
			code := api.CodeFromError(err)
			if stays = code == api.CodeWrongState; stays {
				o.output.Note("%s %s was kept: %v", item.Kind, item.Key, err)
			} else if err != nil && code != api.CodeNotFound {
				return gone, err
			}
		}
		if !stays {
			gone = append(gone, item)
		}
	}
	return gone, nil
}
