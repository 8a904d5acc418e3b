package cmd

import (
	"context"

	"github.com/spf13/cobra"
)

type workerOptions struct {
	host *host
	cmd  *cobra.Command

	staying stayingFlags
}

func newWorkerCmd(h *host) *cobra.Command {
	opts := &workerOptions{host: h}
	cmd := &cobra.Command{
		Use: "worker", Short: "Do the jobs of a data folder, and serve nothing",
		Long: `Prepares, trains and predicts what others queue in a data folder, beside
` + "`foretell serve`" + ` on the same machine, until it is told to stop. What it has begun
then goes back to the queue.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.cmd = cmd
	opts.staying.bind(cmd)
	return cmd
}

func (o *workerOptions) run(ctx context.Context) error {
	house, err := openStaying(ctx, o.host, o.cmd, o.staying)
	if err != nil {
		return err
	}
	defer func() { _ = house.close() }() // nothing is written any more
	stopWork := house.work()
	o.host.note("working on the jobs of %s", house.dir)
	<-ctx.Done()
	if err := stopWork(); err != nil {
		return err
	}
	o.host.stopped()
	return nil
}
