package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics shows, kept apart from other handlers of the process.
type metrics struct {
	registry  *prometheus.Registry
	inFlight  prometheus.Gauge
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	received  prometheus.Counter
	sent      prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "foretell_http_requests_in_flight", Help: "Requests being answered now.",
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "foretell_http_requests_total", Help: "Requests answered, by operation and status.",
		}, []string{"operation", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "foretell_http_request_duration_seconds", Help: "Time to answer, by operation.",
			Buckets: []float64{.001, .005, .02, .1, .5, 2, 10, 60},
		}, []string{"operation"}),
		received: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "foretell_http_received_bytes_total", Help: "Bytes read from request bodies.",
		}),
		sent: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "foretell_http_sent_bytes_total", Help: "Bytes written in answers.",
		}),
	}
	m.registry.MustRegister(m.inFlight, m.requests, m.durations, m.received, m.sent,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// observe counts one answered request; operation is empty for what has none.
func (m *metrics) observe(operation string, answer *recorder, received int64, elapsed time.Duration) {
	if operation == "" {
		operation = "none"
	}
	m.requests.WithLabelValues(operation, strconv.Itoa(answer.status)).Inc()
	m.durations.WithLabelValues(operation).Observe(elapsed.Seconds())
	m.received.Add(float64(received))
	m.sent.Add(float64(answer.n))
}
