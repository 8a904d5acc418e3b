package model

import (
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
)

type modelsPromoteOptions struct {
	service connect.ServiceFlags
	output  cli.Output

	automatic bool
}

func newModelsPromoteCmd(f *cli.Factory) *cobra.Command {
	opts := &modelsPromoteOptions{service: connect.ServiceFlags{NoJobs: true}}
	cmd := &cobra.Command{
		Use: "promote REF", Short: "Make a model the champion of its series",
		Long: `Makes a model the champion of its series, even if other models have higher scores or
newer datasets. It stays the champion until another model is promoted, or until the model
of a later run meets --beat champion. A rejected model can be promoted, too.

With --automatic, the scores decide again: the champion loses the precedence that it got
from this command or by --beat champion. With this flag, REF is the series or any of its
models. If the champion was rejected before it was promoted, it is rejected again.`,
		Example: `  foretell models promote train@v2
  foretell models promote train --automatic`,
		Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[api.Model]())
	cmd.Flags().BoolVar(&opts.automatic, "automatic", false, "let the scores decide again which model is the champion")
	cmd.ValidArgsFunction = opts.service.CompleteReference(connect.ListModelRefs)
	return cmd
}

func (o *modelsPromoteOptions) run(ctx context.Context, ref string) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	key, err := session.ModelKey(ctx, ref)
	if err != nil {
		return err
	}
	state := api.ModelPromoted
	if o.automatic {
		state = api.ModelAutomatic
		if key, err = findModelToReset(ctx, session, key); err != nil {
			return err
		}
	}
	m, err := client.Call(ctx, session.Client, api.SetModelState, &api.SetModelStateInput{ModelInput: api.ModelInput{ModelKey: key}, Body: api.NewModelState{State: state}})
	if err != nil {
		return err
	}
	if m.State == api.ModelRejected {
		o.output.Note("the model is rejected, because it missed a requirement, so only other models can be the champion; to make it the champion, use `foretell models promote %s`", m.ModelKey)
	}
	return cli.PrintItem(&o.output, m, modelItemFields...)
}

// findModelToReset returns the key of the model whose state --automatic resets, so that the scores
// decide again which model is the champion. The result is key if the model with this key was
// promoted or accepted. Otherwise the result is the key of the champion of the same series, if the
// champion was promoted or accepted. If neither was, the scores decide already, and the result is
// key.
func findModelToReset(ctx context.Context, session *connect.Session, key string) (string, error) {
	m, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: key})
	if err != nil {
		return "", err
	}
	if isPromotedOrAccepted(m.State) {
		return key, nil
	}
	all, err := client.ListSeries(ctx, session.Client)
	if err != nil {
		return "", err
	}
	for _, s := range all {
		if s.Name != m.Series {
			continue
		}
		models, err := client.ModelsOfSeries(ctx, session.Client, s)
		if err != nil {
			return "", err
		}
		for _, m := range models {
			if m.Champion && isPromotedOrAccepted(m.State) {
				return m.ModelKey, nil
			}
		}
	}
	return key, nil
}

// isPromotedOrAccepted reports whether a model in this state becomes the champion even if other
// models have higher scores.
func isPromotedOrAccepted(state string) bool {
	return state == api.ModelPromoted || state == api.ModelAccepted
}
