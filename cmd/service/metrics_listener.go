package service

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/listen"
	"foretell/internal/server"
)

// metricsFlag holds the value of --metrics-listen of serve and worker.
type metricsFlag struct{ address string }

func (m *metricsFlag) bind(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVar(&m.address, "metrics-listen", "", usage)
	cli.SetFlagGroup(cmd.Flags(), cli.GroupMonitoring, "metrics-listen")
}

// startServing serves the metrics, the profiles and /healthz at the address of the flag until stop
// is called. If the flag is not set, it does nothing.
func (m *metricsFlag) startServing(ctx context.Context, service *connect.LocalService, metrics *server.Metrics) (stop func(), err error) {
	if m.address == "" {
		return func() {}, nil
	}
	listener, err := listenTCP(ctx, "metrics-listen", m.address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	handleProfiles(mux)
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	web := listen.NewServer(mux, service.Log)
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = web.Serve(listener) // returns when web is closed
	}()
	service.Note("metrics on", slog.String("url", "http://"+listener.Addr().String()+"/metrics"))
	return func() {
		_ = web.Close() // aborts scrapes, which the monitoring system repeats
		<-served
	}, nil
}
