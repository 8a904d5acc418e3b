package service

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/account"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/machine"
)

type serveOptions struct {
	factory *cli.Factory
	cmd     *cobra.Command

	network    networkFlags
	account    accountFlags
	retention  retentionFlags
	noWork     bool
	drainDelay time.Duration
	// gracePeriod is how long requests in progress may take after drainDelay.
	gracePeriod time.Duration
	uploads     string
	metrics     metricsFlag
	daemon      connect.DaemonFlags
}

// The values of --uploads.
const (
	uploadsService = "service"
	uploadsDirect  = "direct"
)

// NewServeCmd returns the command `serve`.
func NewServeCmd(f *cli.Factory) *cobra.Command {
	opts := &serveOptions{factory: f}
	cmd := &cobra.Command{
		Use: "serve", Short: "Run a service",
		Long: `Serves the API and the dashboard from a data folder. When the service is stopped, it
finishes the requests in progress. Create accounts with ` + "`foretell users add`" + `.

If blobs/ contains files, but foretell.db is new or belongs to another folder, the service
does not start. Restore foretell.db from a backup, or start the service with
--accept-database. With this flag, files that are not in the database are moved to
blobs/orphans and deleted after 30 days. If you restore a database that refers to these
files before they are deleted, the service moves them back.

With --storage s3://BUCKET/PREFIX?endpoint=URL&region=REGION, the stored files are in a
bucket of an S3 store instead of blobs/. The bucket must exist. Without an endpoint, the
store is Amazon S3. The credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or
those in the AWS configuration files. With the parameter credentials=instance in the URL,
the credentials of the virtual machine can be used, too. With --storage file:///DIR, the
stored files are in the folder DIR. Instead of the flag, you can set FORETELL_STORAGE for
every command that works on the data folder.

With --uploads direct, the upload URL of a dataset and the URL of a result are signed
URLs of the S3 store. Clients must be able to reach the endpoint of the store. The
service checks every second whether an upload has arrived in the store.

With --database, the rows are in a PostgreSQL database instead of foretell.db. Any
number of services and workers can use this database, on all machines that share the
stored files. Put the password into PGPASSWORD or ~/.pgpass, as for psql, and not into
the URL.

` + cli.FlagEnvVarsHelp("listen"),
		Args:    cli.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return cli.SetFlagsFromEnv(cmd, f.Env) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.cmd = cmd
	opts.daemon.Bind(cmd)
	cmd.Flags().BoolVar(&opts.noWork, "no-work", false, "run no jobs; leave them to foretell worker")
	cmd.Flags().DurationVar(&opts.drainDelay, "drain-delay", 0, "after the signal to stop, accept requests for this `time`; meanwhile /readyz responds 503")
	cmd.Flags().DurationVar(&opts.gracePeriod, "grace-period", defaultGracePeriod, "after --drain-delay, wait this `time` for requests in progress, such as uploads")
	cmd.Flags().StringVar(&opts.uploads, "uploads", uploadsService, "`how` clients upload files and download results: service (through this service) or direct (to and from the S3 store)")
	_ = cmd.RegisterFlagCompletionFunc("uploads", cobra.FixedCompletions([]string{uploadsService, uploadsDirect}, cobra.ShellCompDirectiveNoFileComp)) // fails only if the flag is not defined
	opts.network.bind(cmd)
	opts.account.bind(cmd)
	opts.retention.bind(cmd)
	opts.metrics.bind(cmd, "`address` that serves /metrics instead of --listen")
	return cmd
}

// minHeapGrowth is the argument of [machine.SetMinHeapGrowth], in bytes. With it, garbage is
// collected less often, and a request for a page of a list takes a third less processor time.
const minHeapGrowth = 32 << 20

func (o *serveOptions) run(ctx context.Context) error {
	shared := o.extractSharedSettings()
	if err := o.network.check(); err != nil {
		return err
	}
	if o.drainDelay < 0 {
		return exit.Usagef("invalid --drain-delay %q: must not be negative", o.drainDelay.String())
	}
	if o.gracePeriod < 0 {
		return exit.Usagef("invalid --grace-period %q: must not be negative", o.gracePeriod.String())
	}
	if o.factory.Env("GOGC") == "" {
		machine.SetMinHeapGrowth(minHeapGrowth)
	}
	var err error
	if o.daemon.Accounts, err = o.account.accountOptions(o.network.publicURL); err != nil {
		return err
	}
	retention, err := o.retention.parseRetention()
	if err != nil {
		return err
	}
	switch o.uploads {
	case uploadsService, uploadsDirect:
		o.daemon.DirectTransfers = o.uploads == uploadsDirect
	default:
		return exit.Usagef("invalid --uploads %q: must be %s or %s", o.uploads, uploadsService, uploadsDirect)
	}
	service, err := connect.OpenDaemon(ctx, o.factory, o.cmd, o.daemon)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // an error does no harm: nothing is written any more
	web, err := o.newWebServer(ctx, service)
	if err != nil {
		return err
	}
	defer web.stopMetrics()
	defer service.MonitorOutages(ctx)()
	defer service.PollDirectUploads(ctx)()
	stopWork := func() error { return nil }
	if o.noWork {
		defer service.WarnOfMissingWorkers(ctx)()
	} else {
		stopWork = service.StartJobs()
	}
	defer service.SendMails(ctx)()
	defer service.EnforceRetention(ctx, retention)()
	service.Note("listening on", slog.String("url", web.url()))
	if err := o.storeSettingsAndNoteLink(ctx, service, shared, o.network.serviceURL(web.scheme()+"://"+reachableHostPort(web.listener.Addr()))); err != nil && ctx.Err() == nil {
		return errors.Join(err, web.listener.Close(), stopWork())
	}
	served := make(chan error, 1)
	go func() { served <- web.serve() }()
	select {
	case err := <-served:
		return errors.Join(err, stopWork())
	case <-ctx.Done():
	}
	service.Log.InfoContext(ctx, "stopping: after the drain delay, only requests in progress are finished", "drainDelay", o.drainDelay, "gracePeriod", o.gracePeriod)
	worked := make(chan error, 1)
	go func() { worked <- stopWork() }()
	web.drain(service.Log, o.drainDelay, o.gracePeriod)
	recordStoppedBySignal(o.factory, service, !o.noWork, <-worked)
	return nil
}

// noValue is the value of --public-url, --smtp and --default-quota that removes the stored setting.
const noValue = "none"

// extractSharedSettings returns the settings that the flags change for all services on the same
// database. The value noValue of a flag removes a setting. extractSharedSettings also changes
// noValue in --public-url and --smtp to "", so that this process uses no public URL and no mail
// server.
func (o *serveOptions) extractSharedSettings() (s account.ServiceSettings) {
	if o.network.publicURL != "" {
		if o.network.publicURL == noValue {
			o.network.publicURL = ""
		}
		s.PublicURL = new(strings.TrimSuffix(o.network.publicURL, "/"))
	}
	if o.account.smtp != "" {
		if o.account.smtp == noValue {
			o.account.smtp = ""
		}
		s.SendsMail = new(o.account.smtp != "")
	}
	return s
}

// storeSettingsAndNoteLink stores the settings that the users commands and other services need. If
// there is no administrator, it prints a link that creates the first administrator. address is the
// result of [networkFlags.serviceURL].
func (o *serveOptions) storeSettingsAndNoteLink(ctx context.Context, service *connect.LocalService, shared account.ServiceSettings, address string) error {
	shared.Address = address
	if err := service.App.StoreServiceSettings(ctx, shared); err != nil {
		return err
	}
	link, err := service.App.NewFirstAdministratorLink(ctx, cmp.Or(o.network.publicURL, address))
	if err == nil && link != "" {
		service.Note("there is no administrator yet; open this link within a day to create the first one (it works once):", slog.String("link", link))
	}
	return err
}

// reachableHostPort returns host:port for a link to the listener at address. If the listener
// accepts connections to all addresses of the machine, host is localhost.
func reachableHostPort(address net.Addr) string {
	host, port, err := net.SplitHostPort(address.String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return address.String()
}

// recordStoppedBySignal records that a signal has stopped serve or worker, so that the exit status
// is 0, and prints a notice. If ranJobs is set, the notice says that unfinished jobs are back in
// the queue, unless stopping them has returned the error err.
func recordStoppedBySignal(f *cli.Factory, service *connect.LocalService, ranJobs bool, err error) {
	f.StoppedBySignal = true
	switch {
	case err != nil:
		service.Note("stopped; " + err.Error())
	case ranJobs:
		service.Note("stopped; unfinished jobs are back in the queue")
	default:
		service.Note("stopped")
	}
}
