package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"foretell/internal/app"
	"foretell/internal/storedfile"
)

// scrapeTimeout limits how long a scrape may read from the store.
const scrapeTimeout = 2 * time.Second

var (
	jobsDesc = prometheus.NewDesc("foretell_jobs",
		"Jobs that are queued or running in all processes on the data folder, by kind, without the queued jobs of disabled accounts.", []string{"kind", "state"}, nil)
	jobAgeDesc = prometheus.NewDesc("foretell_jobs_oldest_queued_seconds",
		"Longest time that a queued job has waited since it was last queued, by kind; 0 if no job is queued.", []string{"kind"}, nil)
	jobsFinishedDesc = prometheus.NewDesc("foretell_jobs_finished_total",
		"Jobs that this process ended, by kind and the final state of the dataset, training job or prediction.", []string{"kind", "outcome"}, nil)
	jobDurationDesc = prometheus.NewDesc("foretell_job_duration_seconds",
		"Time from the beginning to the end of the jobs that this process ended, by kind; a job of kind train is a race.", []string{"kind"}, nil)
)

var workersDesc = prometheus.NewDesc("foretell_workers",
	"Number of live workers of all processes on the data folder, by whether they scan uploaded files for malware.", []string{"scanning"}, nil)

var malwareScansDesc = prometheus.NewDesc("foretell_malware_scans_total",
	"Scans of uploaded files for malware by this process, by result: clean, infected, limit of the scanner exceeded, or scanner unavailable.", []string{"result"}, nil)

var mailsDesc = prometheus.NewDesc("foretell_mails_total",
	"Attempts of this process to send an email, by result: sent, or failed because the mail server did not accept the email.", []string{"result"}, nil)

var (
	databaseUpDesc = prometheus.NewDesc("foretell_database_up", "Whether the database responded to the last probe: 1 or 0. A probe reads from it every 10 seconds, and after an error.", nil, nil)
	storageUpDesc  = prometheus.NewDesc("foretell_storage_up", "Whether the storage of files responded to the last probe: 1 or 0. A probe reads from it every 10 seconds, and after an error.", nil, nil)
)

// appCollector collects the counts of jobs, mails and scans for malware at each scrape, and whether
// the database and the storage are available.
type appCollector struct {
	app *app.App
	log *slog.Logger
}

// Describe sends the descriptions of the metrics that Collect sends.
func (c appCollector) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{jobsDesc, jobAgeDesc, jobsFinishedDesc, jobDurationDesc, malwareScansDesc, workersDesc, mailsDesc, databaseUpDesc, storageUpDesc} {
		descs <- desc
	}
}

// Collect sends the counts. If the store fails, it omits the counts of queued and running jobs,
// because an error would make the whole scrape fail.
func (c appCollector) Collect(metrics chan<- prometheus.Metric) {
	for result, n := range c.app.MalwareScans() {
		metrics <- prometheus.MustNewConstMetric(malwareScansDesc, prometheus.CounterValue, float64(n), result)
	}
	for result, n := range c.app.MailCounts() {
		metrics <- prometheus.MustNewConstMetric(mailsDesc, prometheus.CounterValue, float64(n), result)
	}
	for desc, available := range map[*prometheus.Desc]bool{databaseUpDesc: c.app.IsDatabaseAvailable(), storageUpDesc: c.app.IsStorageAvailable()} {
		up := 0.0
		if available {
			up = 1
		}
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, up)
	}
	for _, k := range c.app.FinishedJobs() {
		for outcome, n := range k.ByOutcome {
			metrics <- prometheus.MustNewConstMetric(jobsFinishedDesc, prometheus.CounterValue, float64(n), k.Kind, outcome)
		}
		metrics <- prometheus.MustNewConstHistogram(jobDurationDesc, k.Durations.Count, k.Durations.Seconds, k.Durations.UpTo, k.Kind)
	}
	ctx, done := context.WithTimeout(context.Background(), scrapeTimeout)
	defer done()
	counts, err := c.app.JobCounts(ctx)
	if err != nil {
		c.log.Warn("cannot count the jobs for the metrics", "error", app.MarkTimeoutAsOutage(err))
		return
	}
	for _, k := range counts {
		metrics <- prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(k.Queued), k.Kind, "queued")
		metrics <- prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(k.Running), k.Kind, "running")
		metrics <- prometheus.MustNewConstMetric(jobAgeDesc, prometheus.GaugeValue, k.OldestQueued.Seconds(), k.Kind)
	}
	c.collectWorkers(ctx, metrics)
}

// collectWorkers sends the number of workers that scan files for malware, and of those that do not.
func (c appCollector) collectWorkers(ctx context.Context, metrics chan<- prometheus.Metric) {
	list, err := c.app.ListWorkers(ctx, nil)
	if err != nil {
		c.log.Warn("cannot count the workers for the metrics", "error", app.MarkTimeoutAsOutage(err))
		return
	}
	scanning := 0
	for _, w := range list.Workers {
		if w.ScansFiles {
			scanning++
		}
	}
	metrics <- prometheus.MustNewConstMetric(workersDesc, prometheus.GaugeValue, float64(scanning), "true")
	metrics <- prometheus.MustNewConstMetric(workersDesc, prometheus.GaugeValue, float64(len(list.Workers)-scanning), "false")
}

var (
	storageBytesDesc = prometheus.NewDesc("foretell_storage_bytes",
		"Bytes of stored files of all accounts by kind. The kind orphans counts the files that the database does not reference. Updated at most every five minutes, and orphans every hour.", []string{"kind"}, nil)
	storageObjectsDesc = prometheus.NewDesc("foretell_storage_objects",
		"Number of stored files of all accounts by kind. The kind orphans counts the files that the database does not reference. Updated at most every five minutes, and orphans every hour.", []string{"kind"}, nil)
	diskFreeDesc = prometheus.NewDesc("foretell_disk_free_bytes", "Free bytes of the data folder's disk.", nil, nil)
	diskSizeDesc = prometheus.NewDesc("foretell_disk_size_bytes", "Size of the data folder's disk in bytes.", nil, nil)
)

// usageInterval is the minimum time between two reads of the sizes of all files.
const usageInterval = 5 * time.Minute

// storageCollector collects the sizes of the stored files and of the disk.
type storageCollector struct {
	app *app.App
	log *slog.Logger
	now func() time.Time

	mu     sync.Mutex
	usage  *storedfile.Usage // nil if the last attempt to read it failed
	readAt time.Time         // the time of this attempt; zero before the first
}

func newStorageCollector(a *app.App, log *slog.Logger, now func() time.Time) *storageCollector {
	return &storageCollector{app: a, log: log, now: now}
}

// Describe sends the descriptions of the metrics that Collect sends.
func (c *storageCollector) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{storageBytesDesc, storageObjectsDesc, diskFreeDesc, diskSizeDesc} {
		descs <- desc
	}
}

// Collect sends the sizes that can be read, and omits all other sizes.
func (c *storageCollector) Collect(metrics chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, bytes int64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(bytes), labels...)
	}
	if usage := c.readUsage(); usage != nil {
		gauge(storageBytesDesc, usage.Datasets, "datasets")
		gauge(storageBytesDesc, usage.Models, "models")
		gauge(storageBytesDesc, usage.Predictions, "predictions")
		gauge(storageObjectsDesc, usage.Files, "files")
	}
	if orphans := c.app.OrphansAfterSweep(); orphans != nil {
		gauge(storageBytesDesc, orphans.Bytes, "orphans")
		gauge(storageObjectsDesc, int64(orphans.Count), "orphans")
	}
	if free, size, err := c.app.DiskSpace(); err == nil {
		gauge(diskFreeDesc, int64(free))
		gauge(diskSizeDesc, int64(size))
	}
}

// readUsage returns the sizes of the stored files, or nil if they cannot be read. It reads them at
// most once in usageInterval, because reading them takes long, and anybody may request the metrics.
func (c *storageCollector) readUsage() *storedfile.Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.readAt.IsZero() && c.now().Sub(c.readAt) < usageInterval {
		return c.usage
	}
	ctx, done := context.WithTimeout(context.Background(), scrapeTimeout)
	defer done()
	usage, err := c.app.Usage(ctx)
	if err != nil {
		c.log.Warn("cannot read the sizes of the stored files for the metrics", "error", app.MarkTimeoutAsOutage(err))
		usage = nil
	}
	c.usage, c.readAt = usage, c.now()
	return usage
}
