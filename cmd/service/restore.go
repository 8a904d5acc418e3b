package service

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"foretell/internal/backup"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/term"
)

type restoreOptions struct {
	factory *cli.Factory
	cmd     *cobra.Command
	output  cli.Output

	verify bool
}

// NewRestoreCmd returns the command `restore`.
func NewRestoreCmd(f *cli.Factory) *cobra.Command {
	opts := &restoreOptions{factory: f}
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Restore a backup into an empty service",
		Long: `Restores a backup that ` + "`foretell backup`" + ` has written. If FILE is "-", the backup is read
from standard input. The flags select a data folder, a database and a storage, which
must be empty. The database rows are committed only after the SHA-256 of each file
and of the whole backup have been verified. If one of them differs, nothing is restored.

A backup of an earlier version is upgraded. A backup with a newer schema than that of
this program is refused. Everyone must log in again, because sessions are not in a
backup.`,
		Example: `  foretell backup service.tar --data-dir /srv/foretell
  foretell restore service.tar --database postgres://foretell@db.example.org/foretell --storage s3://foretell/prod`,
		Args: cli.PositionalArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.cmd = cmd
	bindServiceLocation(cmd)
	opts.output.BindItem(cmd, f, cli.ResultType[backupDocument]())
	cmd.Flags().BoolVar(&opts.verify, "verify", false, "only read and verify the backup")
	return cmd
}

func (o *restoreOptions) run(ctx context.Context, path string) error {
	open := func() (io.ReadCloser, error) { return os.Open(path) }
	if path == stdStream {
		open = func() (io.ReadCloser, error) { return io.NopCloser(o.factory.Console.In), nil }
	}
	file, err := term.Interruptible(ctx, open)
	if err != nil {
		return err
	}
	defer file.Close()
	summary, err := o.restoreOrVerify(ctx, term.NewStreamReader(ctx, file))
	if err != nil {
		return err
	}
	noteDamaged(o.factory, summary)
	return printSummary(&o.output, path, summary)
}

// restoreOrVerify restores the backup r or, with --verify, only reads and verifies it.
func (o *restoreOptions) restoreOrVerify(ctx context.Context, r io.Reader) (*backup.Summary, error) {
	if o.verify {
		return connect.VerifyBackup(ctx, r)
	}
	return connect.Restore(ctx, o.factory, o.cmd, r)
}
