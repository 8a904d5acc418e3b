package service

import (
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/connect"
)

type migrateOptions struct {
	factory *cli.Factory
	cmd     *cobra.Command
	output  cli.Output
}

// NewMigrateCmd returns the command `migrate`.
func NewMigrateCmd(f *cli.Factory) *cobra.Command {
	opts := &migrateOptions{factory: f}
	cmd := &cobra.Command{
		Use: "migrate", Short: "Upgrade the database of a service to the schema of this program",
		Long: `Upgrades the schema of the database, and prints the version of the schema before and
after. ` + "`foretell serve`" + ` and ` + "`foretell worker`" + ` also upgrade the schema when they start. If
several processes start at the same time, one upgrades it and the others wait.
A database whose schema is newer than this program is refused.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.cmd = cmd
	cmd.Flags().String(config.KeyDataDir, "", "`folder` of the service's data")
	connect.BindDatabase(cmd)
	opts.output.BindItem(cmd, f, cli.ResultType[connect.Migration]())
	return cmd
}

func (o *migrateOptions) run(ctx context.Context) error {
	migration, err := connect.Migrate(ctx, o.factory, o.cmd)
	if err != nil {
		return err
	}
	return cli.PrintItem(&o.output, *migration, "database", "from", "to")
}
