package service

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"foretell/internal/auth"
	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/urlkey"
)

// NewKeysCmd returns the command `keys` with its subcommands.
func NewKeysCmd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "keys", Aliases: []string{"key"}, Short: "Show or replace the key of a service's signed URLs (needs its data folder)",
		Long: `A service signs the URLs of uploads and results with a key, so that a URL is valid
for an hour and only for one file. The key is in the database. These commands work on
the database itself, even while services are using it. The audit log records each
replacement.`,
	}
	cmd.AddCommand(newKeysListCmd(f), newKeysRotateCmd(f))
	return cmd
}

type keysListOptions struct {
	dataDir dataDirFlag
	output  cli.Output
}

func newKeysListCmd(f *cli.Factory) *cobra.Command {
	opts := &keysListOptions{}
	cmd := &cobra.Command{
		Use: "list", Short: "Show the algorithm and the age of the key, but not the key", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.dataDir.bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[urlkey.Info]())
	return cmd
}

func (o *keysListOptions) run(ctx context.Context) error {
	service, err := o.dataDir.openService(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // an error does no harm: nothing was written
	key, err := service.App.GetURLKey(ctx)
	if err != nil {
		return err
	}
	return cli.PrintList(&o.output, []urlkey.Info{*key}, "name", "algorithm", "createdOn")
}

type keysRotateOptions struct {
	dataDir dataDirFlag
	output  cli.Output
	confirm cli.ConfirmFlag

	algorithm string
}

func newKeysRotateCmd(f *cli.Factory) *cobra.Command {
	opts := &keysRotateOptions{}
	cmd := &cobra.Command{
		Use: "rotate", Short: "Replace the key of signed URLs with a new one",
		Long: `Replaces the key of signed URLs with 32 new random bytes, and deletes the old key.
Running services use the new key within a second, without a restart. Three seconds after
the replacement, they start to refuse URLs that were signed with the old key. To get a new
URL, clients read the dataset or prediction again. Sessions do not end.`,
		Example: `  foretell keys rotate --yes
  foretell keys rotate --algorithm HMAC-SHA3-256 --yes`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.dataDir.bind(cmd, f)
	opts.confirm.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[urlkey.Info]())
	cmd.Flags().StringVar(&opts.algorithm, "algorithm", "", "`algorithm` of the signatures: "+humanize.JoinOr(auth.URLAlgorithms())+" (default the algorithm of the old key)")
	cli.SetFlagCompletions(cmd, "algorithm", auth.URLAlgorithms()...)
	return cmd
}

func (o *keysRotateOptions) run(ctx context.Context) error {
	if o.algorithm != "" && !slices.Contains(auth.URLAlgorithms(), o.algorithm) {
		return exit.Usagef("invalid --algorithm %q: must be %s", o.algorithm, humanize.JoinOr(auth.URLAlgorithms()))
	}
	if err := o.confirm.Ask(ctx, "Replace the key? All signed URLs that the service has returned become invalid three seconds later."); err != nil {
		return err
	}
	service, err := o.dataDir.openService(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // an error does no harm: the key is stored
	key, err := service.App.RotateURLKey(ctx, o.algorithm)
	if err != nil {
		return err
	}
	return cli.PrintItem(&o.output, *key, "name", "algorithm", "createdOn")
}
