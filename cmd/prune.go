package cmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/humanize"
	"foretell/internal/prune"
	"foretell/internal/term"
)

// pruneAge is the default of --older-than if no criterion is given.
const pruneAge = 30 * 24 * time.Hour

type pruneOptions struct {
	host    *factory
	service serviceFlags
	confirm confirmFlag
	output  output

	olderThan ageFlag
	keep      int
	champions bool
}

func newPruneCmd(f *factory) *cobra.Command {
	opts := &pruneOptions{host: f, service: serviceFlags{idle: true}}
	cmd := &cobra.Command{
		Annotations: map[string]string{dryRunResult: "true"},
		Use:         "prune [NAME]", Short: "Delete old datasets, models and predictions to free space",
		Long: `Deletes models that are older than --older-than, and models that are not among the
--keep newest ones of their series. With both flags a model stays if either keeps
it. The default is --older-than 30d. NAME limits it to one series.

A model is deleted with its race and its predictions. A dataset is deleted with its
CSV if no model and no race of it is left. Predictions older than --older-than are
deleted even if their model stays; result files on your disk are never touched. The
champion of each series and all running work are kept; interrupted races and
predictions are deleted by --older-than.`,
		Example: `  foretell prune --older-than 30d --dry-run
  foretell prune --keep 3 --yes
  foretell prune churn --keep 1 --keep-champions=false --yes`,
		Args: positionalArgs("[NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.bind(cmd, f)
	opts.confirm.bind(cmd, f)
	opts.output.bindList(cmd, f, resultType[prune.Item]())
	flags := cmd.Flags()
	flags.Var(&opts.olderThan, "older-than", "delete what is older than this `age`, such as 30d or 12h")
	flags.IntVar(&opts.keep, "keep", 0, "keep the `N` newest models of each series")
	flags.BoolVar(&opts.champions, "keep-champions", true, "keep the champion of each series")
	flags.Lookup("dry-run").Usage = "print what would be deleted, and delete nothing"
	cmd.ValidArgsFunction = opts.service.completeReference(datasetNames)
	return cmd
}

func (o *pruneOptions) run(ctx context.Context, args []string) error {
	policy, err := o.policy()
	if err != nil {
		return err
	}
	session, err := o.service.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	items, err := o.plan(ctx, session, args, policy)
	if err != nil {
		return err
	}
	if err := o.tellOrphans(ctx, session); err != nil {
		return err
	}
	if len(items) == 0 {
		o.output.note("nothing to delete")
		return printList(&o.output, items, pruneColumns...)
	}
	if isDryRun(o.service.cmd) {
		o.output.note("would delete %s", pruneSummary(items))
		return printList(&o.output, items, pruneColumns...)
	}
	if err := o.confirm.ask(ctx, "Delete "+pruneSummary(items)+"?"); err != nil {
		return err
	}
	now, err := o.plan(ctx, session, args, policy)
	if err != nil {
		return err
	}
	gone, err := o.delete(ctx, session, prune.Confirmed(items, now))
	if err != nil {
		return err
	}
	o.output.note("deleted %s", pruneSummary(gone))
	return printList(&o.output, gone, pruneColumns...)
}

// tellOrphans prints the orphaned files in the data folder, which prune does not delete.
func (o *pruneOptions) tellOrphans(ctx context.Context, session *session) error {
	if !session.embedded {
		return nil
	}
	used, err := session.app.Usage(ctx)
	if err == nil && used.Orphans.Count > 0 {
		o.output.note("%s: they are not in the database, and each is deleted 30 days after it was moved there", o.host.orphansText(used.Orphans))
	}
	return err
}

var pruneColumns = []string{"key", "kind", "name", "bytes", "createdOn"}

// policy converts the flags.
func (o *pruneOptions) policy() (prune.Policy, error) {
	p := prune.Policy{Champions: o.champions}
	if o.service.cmd.Flags().Changed("keep") {
		if o.keep < 0 {
			return p, usageErrorf("--keep %d: must not be negative", o.keep)
		}
		p.Keep = &o.keep
	}
	age := time.Duration(o.olderThan)
	if p.Keep == nil && !o.service.cmd.Flags().Changed("older-than") {
		age = pruneAge
	}
	if age > 0 || o.service.cmd.Flags().Changed("older-than") {
		p.Before = o.host.now().Add(-age)
	}
	return p, nil
}

// plan returns what to delete.
func (o *pruneOptions) plan(ctx context.Context, session *session, args []string, policy prune.Policy) ([]prune.Item, error) {
	all, err := client.ListSeries(ctx, session.Client)
	if err != nil {
		return nil, err
	}
	if len(args) > 0 {
		series, err := session.series(ctx, args[0])
		if err != nil {
			return nil, err
		}
		all = []client.Series{*series}
	}
	races := map[string][]api.Training{} // by dataset
	for race, err := range client.AllTrainings(ctx, session.Client, true) {
		if err != nil {
			return nil, err
		}
		races[race.DatasetKey] = append(races[race.DatasetKey], race)
	}
	var items []prune.Item
	for _, series := range all {
		s := prune.Series{Series: series}
		if s.Models, err = client.ModelsOfSeries(ctx, session.Client, series); err != nil {
			return nil, err
		}
		for _, d := range series.Datasets {
			s.Races = append(s.Races, races[d.DatasetKey]...)
			if len(races[d.DatasetKey]) == 0 {
				continue // without a model, and so without predictions
			}
			predictions, err := collect(client.AllPredictionsOfDataset(ctx, session.Client, d.DatasetKey))
			if err != nil {
				return nil, err
			}
			s.Predictions = append(s.Predictions, predictions...)
		}
		items = append(items, prune.Plan(s, policy)...)
	}
	return items, nil
}

// delete deletes items and returns the deleted ones. An item that is in use meanwhile is
// kept, and one that is already gone is not an error.
func (o *pruneOptions) delete(ctx context.Context, session *session, items []prune.Item) (gone []prune.Item, err error) {
	stays := false // the item, and those that would go with it
	for _, item := range items {
		if !item.Implied {
			err := deleteItem(ctx, session.Client, item)
			code := api.CodeOf(err)
			if stays = code == api.CodeWrongState; stays {
				o.output.note("%s %s was kept: %v", item.Kind, item.Key, err)
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

func deleteItem(ctx context.Context, c *client.Client, item prune.Item) (err error) {
	switch item.Kind {
	case prune.Dataset:
		_, err = client.Call(ctx, c, api.DeleteDataset, &api.DatasetInput{DatasetKey: item.Key})
	case prune.Race:
		_, err = client.Call(ctx, c, api.DeleteTraining, &api.TrainingInput{TrainingJobKey: item.Key})
	case prune.Prediction:
		_, err = client.Call(ctx, c, api.DeletePrediction, &api.PredictionInput{PredictionKey: item.Key})
	}
	return err
}

// pruneSummary formats the counts and the size of items.
func pruneSummary(items []prune.Item) string {
	var parts []string
	for _, kind := range []struct{ name, word string }{
		{prune.Dataset, "dataset"}, {prune.Race, "race"}, {prune.Model, "model"}, {prune.Prediction, "prediction"},
	} {
		n := 0
		for _, item := range items {
			if item.Kind == kind.name {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, humanize.Count(n, kind.word))
		}
	}
	var bytes int64
	for _, item := range items {
		bytes += item.Bytes
	}
	return fmt.Sprintf("%s (%s)", strings.Join(parts, ", "), term.Bytes(bytes))
}

// ageFlag is a duration that may be given in days.
type ageFlag time.Duration

func (f *ageFlag) String() string {
	if *f == 0 {
		return ""
	}
	return time.Duration(*f).String()
}

// Set parses 30d, or what [time.ParseDuration] accepts.
func (f *ageFlag) Set(text string) error {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err == nil && n >= 0 && n <= 36500 {
			*f = ageFlag(time.Duration(n) * 24 * time.Hour)
			return nil
		}
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < 0 {
		return fmt.Errorf("want an age such as 30d or 12h")
	}
	*f = ageFlag(age)
	return nil
}

// Type returns the name of the type for pflag.
func (f *ageFlag) Type() string { return "age" }
