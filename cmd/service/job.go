package service

import (
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/connect"
)

// NewJobsCmd returns the command `jobs` with its subcommands.
func NewJobsCmd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "jobs", Aliases: []string{"job"}, Short: "See the jobs and workers of a service (for administrators)",
		Long: `Shows the work of all accounts of a service. On a server, only administrators can see
it. With --local, --data-dir, --database or FORETELL_DATABASE, the commands read the
data folder or the database directly, even while a service is using it.`,
	}
	cmd.AddCommand(newJobsListCmd(f), newJobsWorkersCmd(f))
	return cmd
}

// administratorFlags holds the flags of the commands below `jobs`, which select a service or its
// data folder.
type administratorFlags struct {
	service connect.ServiceFlags
	output  cli.Output
}

func (o *administratorFlags) bind(cmd *cobra.Command, f *cli.Factory) {
	o.service.NoJobs, o.service.ReadOnly, o.service.NeedsDatabase = true, true, true
	o.service.Bind(cmd, f)
	connect.BindStorage(cmd)
	connect.BindDatabase(cmd)
	cmd.MarkFlagsMutuallyExclusive("database", config.KeyServer)
}

type jobsListOptions struct {
	administratorFlags

	list    cli.ListFlags
	account string
}

func newJobsListCmd(f *cli.Factory) *cobra.Command {
	opts := &jobsListOptions{}
	cmd := &cobra.Command{
		Use: "list", Short: "List the running and queued jobs of all accounts",
		Long: `Lists the running jobs and then the queued jobs, both oldest first. A job prepares a
dataset, trains a race or a part of a race, or predicts. WORKER is the process that runs
the job, see ` + "`foretell jobs workers`" + `. Accounts take turns, so the oldest queued job does
not always start first. The jobs of a disabled account are PAUSED: they wait until the
account is enabled.`,
		Example: `  foretell jobs list
  foretell jobs list --account ada@example.org --json`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[api.Job]())
	opts.list.Bind(cmd)
	cmd.Flags().Lookup("limit").Usage = "print at most the first `N`; 0 prints all"
	cmd.Flags().StringVar(&opts.account, "account", "", "list only jobs of the account with this `email`")
	return cmd
}

func (o *jobsListOptions) run(ctx context.Context) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	jobs, err := connect.CollectLimit(client.AllPages(func(page api.PageInput) ([]api.Job, api.Page, error) {
		out, err := client.Call(ctx, session.Client, api.ListJobs, &api.ListJobsInput{PageInput: page, Account: o.account})
		if err != nil {
			return nil, api.Page{}, err
		}
		return out.Jobs, out.Page, nil
	}, func(j api.Job) string { return j.JobKey }), o.list.Limit)
	if err != nil {
		return err
	}
	return cli.PrintList(&o.output, jobs, "jobKey", "state", "kind", "account", "objectKey", "host", "worker", "memory", "createdOn", "startedOn")
}

type jobsWorkersOptions struct{ administratorFlags }

func newJobsWorkersCmd(f *cli.Factory) *cobra.Command {
	opts := &jobsWorkersOptions{}
	cmd := &cobra.Command{
		Use: "workers", Short: "List the live workers",
		Long: `Lists the processes that run the jobs of all accounts: ` + "`foretell serve`" + ` and
` + "`foretell worker`" + `, oldest first.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[api.Worker]())
	opts.output.EmptyHint = "`foretell serve` or `foretell worker`"
	return cmd
}

func (o *jobsWorkersOptions) run(ctx context.Context) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	list, err := client.Call(ctx, session.Client, api.ListWorkers, &api.None{})
	if err != nil {
		return err
	}
	return cli.PrintList(&o.output, list.Workers, "worker", "host", "version", "cores", "memory", "scansFiles", "jobs", "startedOn", "lastSeenOn")
}
