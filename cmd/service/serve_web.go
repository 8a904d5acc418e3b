package service

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"foretell/internal/connect"
	"foretell/internal/listen"
	"foretell/internal/server"
)

// webServer is the HTTP server of serve, on its listener.
type webServer struct {
	http        *http.Server
	listener    *listen.Listener
	draining    atomic.Bool // set when the server begins to stop
	stopMetrics func()
}

// newWebServer opens the listeners that the flags select. It serves nothing yet, except the
// metrics of --metrics-listen.
func (o *serveOptions) newWebServer(ctx context.Context, service *connect.LocalService) (*webServer, error) {
	tlsConfig, certificate, err := o.network.tlsConfig(service.Dir, service.Log, o.factory.Now)
	if err != nil {
		return nil, err
	}
	proxies, err := o.network.trustedNetworks()
	if err != nil {
		return nil, err
	}
	for _, network := range proxies {
		if network.Bits() == 0 {
			service.Log.WarnContext(ctx, "--trust-proxy trusts a network of all addresses, so a client can choose the address that limits and the audit log see; pass only the addresses of the proxies", "network", network.String())
		}
	}
	w := &webServer{}
	if w.listener, err = o.network.openListener(ctx, service.Log, o.factory.Now); err != nil {
		return nil, err
	}
	metrics := service.Metrics()
	metrics.AddGauge("foretell_http_connections", "Open connections of clients.", func() float64 { return float64(w.listener.NumOpen()) })
	opts := server.Options{PublicURL: o.network.publicURL, AllowedHosts: o.network.allowedHostNames(w.listener.Addr()), TrustedProxies: proxies, Draining: w.draining.Load, Metrics: metrics, PublicMetrics: o.metrics.address == "", RequestsPerSecond: o.account.requestRate}
	if w.stopMetrics, err = o.metrics.startServing(ctx, service, metrics); err != nil {
		return nil, errors.Join(err, w.listener.Close())
	}
	if certificate != nil {
		o.factory.OnHangup.Store(new(certificate.Reload))
		metrics.AddGauge("foretell_tls_certificate_expiry_timestamp_seconds", "Time when the certificate of --tls-cert expires, as a Unix time.", func() float64 { return float64(certificate.Expiry().Unix()) })
	}
	w.http = listen.NewServer(service.Handler(opts), service.Log)
	w.http.TLSConfig = tlsConfig
	return w, nil
}

// scheme returns "http" or "https".
func (w *webServer) scheme() string {
	if w.http.TLSConfig != nil {
		return "https"
	}
	return "http"
}

// url returns the base URL of the server.
func (w *webServer) url() string { return w.scheme() + "://" + w.listener.Addr().String() }

// serve serves requests until the server is shut down.
func (w *webServer) serve() error {
	if w.http.TLSConfig != nil {
		return w.http.ServeTLS(w.listener, "", "")
	}
	return w.http.Serve(w.listener)
}

// defaultGracePeriod limits how long a stopped service waits for requests in progress. It is
// less than the ten seconds after which service managers may kill a process.
const defaultGracePeriod = 8 * time.Second

// drain stops the server. For the duration delay, it continues to serve, so that load balancers
// notice that the server is about to stop. Then it accepts no more requests, and waits until those
// in progress have ended, for at most the duration grace. If it aborts requests, it logs a warning
// and returns no error, because the operator has chosen the duration.
func (w *webServer) drain(log *slog.Logger, delay, grace time.Duration) {
	w.draining.Store(true)
	if delay > 0 {
		<-time.After(delay)
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := w.http.Shutdown(ctx); err != nil {
		log.Warn("requests did not end within the grace period and were aborted", "gracePeriod", grace, "error", errors.Join(err, w.http.Close()))
	}
}
