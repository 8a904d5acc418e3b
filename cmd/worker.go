package cmd

import (
	"context"

	"github.com/spf13/cobra"
)

type workerOptions struct {
	host *factory
	cmd  *cobra.Command

	daemon daemonFlags
}

func newWorkerCmd(f *factory) *cobra.Command {
	opts := &workerOptions{host: f}
	cmd := &cobra.Command{
		Use: "worker", Short: "Run the jobs of a data folder without serving the API",
		Long: `Runs the queued jobs of a data folder beside ` + "`foretell serve`" + ` on the same machine:
it prepares, trains and predicts until it is stopped. Unfinished jobs then return to
the queue.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.cmd = cmd
	opts.daemon.bind(cmd)
	return cmd
}

func (o *workerOptions) run(ctx context.Context) error {
	service, err := openDaemon(ctx, o.host, o.cmd, o.daemon)
	if err != nil {
		return err
	}
	defer func() { _ = service.close() }() // nothing is written any more
	stopWork := service.work()
	o.host.note("running the jobs of %s", service.dir)
	<-ctx.Done()
	if err := stopWork(); err != nil {
		return err
	}
	o.host.noteStopped()
	return nil
}
