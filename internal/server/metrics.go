package server

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"foretell/internal/app"
)

// metrics are the metrics at /metrics. They have their own registry, so that one
// process can have several services.
type metrics struct {
	registry  *prometheus.Registry
	inFlight  prometheus.Gauge
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	received  prometheus.Counter
	sent      prometheus.Counter
}

// newMetrics returns the metrics of a service. jobs collects the metrics of its
// jobs.
func newMetrics(jobs prometheus.Collector) *metrics {
	m := &metrics{
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
	}
	m.registry.MustRegister(jobs, m.inFlight, m.requests, m.durations, m.received, m.sent,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

var (
	jobsDesc = prometheus.NewDesc("foretell_jobs",
		"Jobs that are queued or running in all processes on the data folder, by kind.", []string{"kind", "state"}, nil)
	jobsFinishedDesc = prometheus.NewDesc("foretell_jobs_finished_total",
		"Jobs that this process ended, by kind and the final state of their subject.", []string{"kind", "outcome"}, nil)
)

// jobCollector collects the job counts of the app at each scrape.
type jobCollector struct {
	app *app.App
	log *slog.Logger
}

// Describe sends the descriptions of the metrics of Collect.
func (c jobCollector) Describe(descs chan<- *prometheus.Desc) {
	descs <- jobsDesc
	descs <- jobsFinishedDesc
}

// Collect sends the job counts. If the store fails, it sends nothing rather than
// an error, so that the other metrics are still reported.
func (c jobCollector) Collect(metrics chan<- prometheus.Metric) {
	ctx, done := context.WithTimeout(context.Background(), collectTimeout)
	defer done()
	counts, err := c.app.JobCounts(ctx)
	if err != nil {
		c.log.Warn("counting jobs", "error", err)
		return
	}
	for _, count := range counts {
		metrics <- prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(count.Queued), count.Kind, "queued")
		metrics <- prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(count.Running), count.Kind, "running")
		for outcome, n := range count.Finished {
			metrics <- prometheus.MustNewConstMetric(jobsFinishedDesc, prometheus.CounterValue, float64(n), count.Kind, outcome)
		}
	}
}

// collectTimeout is the time limit for reading the store during a scrape.
const collectTimeout = 2 * time.Second

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// observe records one handled request. operation is empty if the request was not
// routed.
func (m *metrics) observe(operation string, rec *responseRecorder, received int64, elapsed time.Duration) {
	if operation == "" {
		operation = "none"
	}
	m.requests.WithLabelValues(operation, strconv.Itoa(rec.status)).Inc()
	m.durations.WithLabelValues(operation).Observe(elapsed.Seconds())
	m.received.Add(float64(received))
	m.sent.Add(float64(rec.bytesWritten))
}
