package service

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/connect"
)

type workerOptions struct {
	factory *cli.Factory
	cmd     *cobra.Command

	daemon  connect.DaemonFlags
	metrics metricsFlag
}

// NewWorkerCmd returns the command `worker`.
func NewWorkerCmd(f *cli.Factory) *cobra.Command {
	opts := &workerOptions{factory: f}
	cmd := &cobra.Command{
		Use: "worker", Short: "Run the jobs of a data folder without serving the API",
		Long: `Runs the jobs of a data folder: prepares datasets, trains and predicts. The worker must
run on the machine of the service (` + "`foretell serve`" + `), or with --database on any machine
that shares the stored files. --storage must have the same value as for the service.
When the worker is stopped, its unfinished jobs return to the queue.

` + cli.FlagEnvVarsHelp("data-dir"),
		Args:    cli.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return cli.SetFlagsFromEnv(cmd, f.Env) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.cmd = cmd
	opts.daemon.Bind(cmd)
	opts.metrics.bind(cmd, "`address` for /metrics")
	return cmd
}

func (o *workerOptions) run(ctx context.Context) error {
	service, err := connect.OpenDaemon(ctx, o.factory, o.cmd, o.daemon)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // an error does no harm: nothing is written any more
	stopMetrics, err := o.metrics.startServing(ctx, service, service.Metrics())
	if err != nil {
		return err
	}
	defer stopMetrics()
	defer service.MonitorOutages(ctx)()
	stopWork := service.StartJobs()
	service.Note("running the jobs of", slog.String("location", service.Location))
	<-ctx.Done()
	service.Log.InfoContext(ctx, "stopping: the running jobs return to the queue")
	recordStoppedBySignal(o.factory, service, true, stopWork())
	return nil
}
