package server

import (
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"foretell/internal/app"
)

// Metrics are the metrics of a service or worker, for Prometheus. They have their
// own registry, so that one process can have several services.
type Metrics struct {
	registry      *prometheus.Registry
	handler       http.Handler // responds with all metrics of the registry
	inFlight      prometheus.Gauge
	requests      *prometheus.CounterVec
	durations     *prometheus.HistogramVec
	received      prometheus.Counter
	sent          prometheus.Counter
	loginFailures *prometheus.CounterVec
	files         *fileMetrics
}

// NewMetrics returns the metrics of an app and of its handler. Pass them to [New] in
// [Options.Metrics].
func NewMetrics(a *app.App, log *slog.Logger, now func() time.Time) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "foretell_http_requests_in_flight", Help: "Requests being handled.",
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "foretell_http_requests_total", Help: "Requests handled, by operation and status.",
		}, []string{"operation", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "foretell_http_request_duration_seconds", Help: "Duration of requests, by operation.",
			Buckets: []float64{.001, .005, .02, .1, .5, 2, 10, 60},
		}, []string{"operation"}),
		received: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "foretell_http_received_bytes_total", Help: "Bytes read from request bodies.",
		}),
		sent: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "foretell_http_sent_bytes_total", Help: "Bytes written to response bodies.",
		}),
		loginFailures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "foretell_login_failures_total", Help: "Log-ins that failed, by reason: wrong credentials, or too many attempts.",
		}, []string{"reason"}),
		files: newFileMetrics(),
	}
	a.ObserveFiles(m.files.observe)
	m.registry.MustRegister(appCollector{a, log}, newStorageCollector(a, log, now), m.inFlight, m.requests, m.durations, m.received, m.sent, m.loginFailures, m.files,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	for _, reason := range []string{reasonBadCredentials, reasonTooManyAttempts} {
		m.loginFailures.WithLabelValues(reason) // begin at 0, so that an alert on an increase sees the first failure
	}
	return m
}

// The reasons of failed log-ins.
const (
	reasonBadCredentials  = "credentials"
	reasonTooManyAttempts = "limit"
)

// AddGauge adds a gauge. Each scrape calls value and reports its result. The name must not be in
// use.
func (m *Metrics) AddGauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// AddBuildInfo adds a gauge that always has the value 1. Its labels are the version of the program
// and the version of Go with which the program was built.
func (m *Metrics) AddBuildInfo(version string) {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "foretell_build_info", Help: "Always 1; the labels are the versions of the program and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	info.Set(1)
	m.registry.MustRegister(info)
}

// ServeHTTP responds with all metrics.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.handler.ServeHTTP(w, r) }

// observeRequest records one handled request. operation is the ID of the operation, or
// empty if the request matched none. received is the number of bytes read from the body.
func (m *Metrics) observeRequest(operation string, rec *responseRecorder, received int64, elapsed time.Duration) {
	if operation == "" {
		operation = "none"
	}
	m.requests.WithLabelValues(operation, strconv.Itoa(rec.status)).Inc()
	m.durations.WithLabelValues(operation).Observe(elapsed.Seconds())
	m.received.Add(float64(received))
	m.sent.Add(float64(rec.bytesWritten))
}
