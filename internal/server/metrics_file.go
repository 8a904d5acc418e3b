package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"foretell/internal/blob"
)

// fileMetrics measures the reads, writes and deletes of stored files. It is a prometheus.Collector.
type fileMetrics struct {
	durations *prometheus.HistogramVec
	errors    *prometheus.CounterVec
	bytes     *prometheus.CounterVec
}

func newFileMetrics() *fileMetrics {
	m := &fileMetrics{
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "foretell_storage_call_duration_seconds", Help: "Time that the folder or bucket took to read, write or delete a stored file, by operation.",
			Buckets: []float64{.001, .005, .02, .1, .5, 2, 10, 60},
		}, []string{"operation"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "foretell_storage_errors_total", Help: "Reads, writes and deletes of stored files that failed, by operation.",
		}, []string{"operation"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "foretell_storage_transferred_bytes_total", Help: "Bytes of stored files that were read or written, by operation.",
		}, []string{"operation"}),
	}
	for _, operation := range []string{blob.CallRead, blob.CallWrite, blob.CallDelete} {
		m.durations.WithLabelValues(operation)
		m.errors.WithLabelValues(operation) // begin at 0, so that an alert on an increase sees the first failure
	}
	return m
}

// observe records one read, write or delete of a stored file.
func (m *fileMetrics) observe(c blob.BackendCall) {
	m.durations.WithLabelValues(c.Operation).Observe(c.Elapsed.Seconds())
	if c.Operation != blob.CallDelete {
		m.bytes.WithLabelValues(c.Operation).Add(float64(c.Bytes))
	}
	if c.Err != nil {
		m.errors.WithLabelValues(c.Operation).Inc()
	}
}

// Describe sends the descriptions of the metrics that Collect sends.
func (m *fileMetrics) Describe(descs chan<- *prometheus.Desc) {
	m.durations.Describe(descs)
	m.errors.Describe(descs)
	m.bytes.Describe(descs)
}

// Collect sends the metrics.
func (m *fileMetrics) Collect(metrics chan<- prometheus.Metric) {
	m.durations.Collect(metrics)
	m.errors.Collect(metrics)
	m.bytes.Collect(metrics)
}
