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
	host *host
	cmd  *cobra.Command

	listen    string
	publicURL string
	quiet     bool
	noWork    bool
}

func newServeCmd(h *host) *cobra.Command {
	opts := &serveOptions{host: h}
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the API to others",
		Long: `Serves the API from a data folder until it is told to stop, and then lets what is
under way come to an end. Accounts are made with ` + "`foretell users add`" + `.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.cmd = cmd
	cmd.Flags().StringVar(&opts.listen, "listen", "127.0.0.1:8080", "`address` to listen at; port 0 picks a free one")
	cmd.Flags().String(keyDataDir, "", "`folder` of all data")
	cmd.Flags().StringVar(&opts.publicURL, "public-url", "", "`URL` that absolute addresses begin with (default that of each request)")
	cmd.Flags().BoolVar(&opts.noWork, "no-work", false, "only serve, and leave all jobs to foretell worker")
	cmd.Flags().BoolVarP(&opts.quiet, "quiet", "q", false, "write no log")
	return cmd
}

func (o *serveOptions) run(ctx context.Context) error {
	house, err := openStaying(ctx, o.host, o.cmd, o.quiet)
	if err != nil {
		return err
	}
	defer func() { _ = house.close() }() // nothing is written any more
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return fail(ExitConflict, "cannot listen at %s: %w", o.listen, err).advise("name another address with --listen; port 0 picks a free one")
	}
	stopWork := func() error { return nil }
	if !o.noWork {
		stopWork = house.work()
	}
	web := server.HTTPServer(house.handler(o.publicURL))
	o.host.note("listening on http://%s", listener.Addr())
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	select {
	case err := <-served:
		return errors.Join(err, stopWork())
	case <-ctx.Done():
	}
	if err := errors.Join(shutdown(web), stopWork()); err != nil {
		return err
	}
	return stopped(ctx)
}

// stopped is the end of a command that runs until a signal comes.
func stopped(ctx context.Context) error {
	var by *interruption
	errors.As(context.Cause(ctx), &by)
	return &failure{exit: by.exit(), fact: "stopped, with all work given back"}
}

// gracePeriod is how long requests under way may take after a stop.
const gracePeriod = 10 * time.Second

// shutdown lets requests come to their end, and breaks off those that do not.
func shutdown(web *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), gracePeriod)
	defer cancel()
	if err := web.Shutdown(ctx); err != nil {
		return fmt.Errorf("some requests were broken off: %w", errors.Join(err, web.Close()))
	}
	return nil
}
