package cmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/server"
)

type serveOptions struct {
	host *factory
	cmd  *cobra.Command

	listen    string
	publicURL string
	noWork    bool
	daemon    daemonFlags
}

func newServeCmd(f *factory) *cobra.Command {
	opts := &serveOptions{host: f}
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the API to others",
		Long: `Serves the API from a data folder until it is told to stop, and then lets what is
under way come to an end. Accounts are made with ` + "`foretell users add`" + `.

It does not start if foretell.db is new or of another folder while blobs/ holds
files: restore foretell.db from a backup, or go on with --accept-database. Files
that the database does not name are moved to blobs/orphans, kept there for 30
days, and taken back if a database that names them is restored by then.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.cmd = cmd
	cmd.Flags().StringVar(&opts.listen, "listen", "127.0.0.1:8080", "`address` to listen at; port 0 picks a free one")
	opts.daemon.bind(cmd)
	cmd.Flags().StringVar(&opts.publicURL, "public-url", "", "`URL` that absolute addresses begin with (default that of each request)")
	cmd.Flags().BoolVar(&opts.noWork, "no-work", false, "only serve, and leave all jobs to foretell worker")
	return cmd
}

func (o *serveOptions) run(ctx context.Context) error {
	service, err := openDaemon(ctx, o.host, o.cmd, o.daemon)
	if err != nil {
		return err
	}
	defer func() { _ = service.close() }() // nothing is written any more
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return exitErrorf(ExitConflict, "cannot listen at %s: %w", o.listen, err).withHint("name another address with --listen; port 0 picks a free one")
	}
	stopWork := func() error { return nil }
	if !o.noWork {
		stopWork = service.work()
	}
	web := server.HTTPServer(service.handler(o.publicURL))
	o.host.note("listening on http://%s", listener.Addr())
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	select {
	case err := <-served:
		return errors.Join(err, stopWork())
	case <-ctx.Done():
	}
	worked := make(chan error, 1)
	go func() { worked <- stopWork() }()
	if err := errors.Join(shutdown(web), <-worked); err != nil {
		return err
	}
	o.host.noteStopped()
	return nil
}

// noteStopped ends a command that runs until a signal comes: being stopped is its
// success, as service managers expect it.
func (f *factory) noteStopped() {
	f.stoppedBySignal = true
	f.note("stopped, with all work given back")
}

// gracePeriod is how long requests under way may take after a stop: service
// managers kill what has not ended after ten seconds or more.
const gracePeriod = 8 * time.Second

// shutdown lets requests come to their end, and breaks off those that do not.
func shutdown(web *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), gracePeriod)
	defer cancel()
	if err := web.Shutdown(ctx); err != nil {
		return fmt.Errorf("some requests were broken off: %w", errors.Join(err, web.Close()))
	}
	return nil
}
