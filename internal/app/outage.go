package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"foretell/internal/blob"
	"foretell/internal/outage"
	"foretell/internal/store"
)

// initMonitorsAndLog creates the monitors of the database and of the stored files, and the log of
// the App; see [App.Log].
func (a *App) initMonitorsAndLog(log *slog.Logger) {
	a.databaseMonitor = outage.New(outage.Config{
		Name: "the database", Log: log, Now: a.now, Probe: a.store.Ping,
		// With SQLite, ErrUnavailable only means that another process has locked the database.
		IsOutage: func(err error) bool { return a.store.IsOnServer() && errors.Is(err, store.ErrUnavailable) },
	})
	a.storageMonitor = outage.New(outage.Config{
		Name: "the storage of files", Log: log, Now: a.now, Probe: func(ctx context.Context) error { return a.files.Probe(ctx) },
		IsOutage: func(err error) bool { return errors.Is(err, blob.ErrUnavailable) },
	})
	// The log keeps the level of such an error: the request gets status 500, with an ID that
	// operators search for in the log.
	isUnknown := func(err error) bool { return errors.Is(err, store.ErrCommitUnknown) }
	a.log = slog.New(outage.NewHandler(log.Handler(), isUnknown, a.databaseMonitor, a.storageMonitor))
}

// MarkTimeoutAsOutage returns err wrapped together with store.ErrUnavailable if err is an exceeded
// time limit, and unchanged otherwise. The log then treats err as a consequence of an outage; see
// [App.Log]. Call MarkTimeoutAsOutage only for operations that use nothing but the database. Other
// operations may exceed their time limits for other reasons, such as a slow mail server.
func MarkTimeoutAsOutage(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

// Log returns the log of the App. During an outage that [App.MonitorOutages] has found, the log has
// lines about the outage itself, and the errors that the outage causes have only the level debug.
func (a *App) Log() *slog.Logger { return a.log }

// MonitorOutages observes whether the database and the stored files are available, until ctx is
// done. It logs when an outage begins and when it has ended.
func (a *App) MonitorOutages(ctx context.Context) {
	var monitors sync.WaitGroup
	for _, m := range []*outage.Monitor{a.databaseMonitor, a.storageMonitor} {
		monitors.Go(func() { m.Run(ctx) })
	}
	monitors.Wait()
}

// IsDatabaseAvailable reports whether the database responded to the last probe of
// [App.MonitorOutages]. Without probes, it returns true.
func (a *App) IsDatabaseAvailable() bool { return a.databaseMonitor.IsAvailable() }

// IsStorageAvailable reports whether the stored files could be read at the last probe of
// [App.MonitorOutages]. Without probes, it returns true.
func (a *App) IsStorageAvailable() bool { return a.storageMonitor.IsAvailable() }
