package store

import (
	"context"
	"time"

	"foretell/internal/store/process"
)

// Worker is a process that runs jobs of all processes that share the database.
type Worker struct {
	// Process is the name of the process.
	Process string
	// Memory is the maximum sum of the estimated memory of the worker's jobs, in bytes. 0 means no
	// limit.
	Memory int64
	// ScansFiles reports whether the worker scans uploaded files for malware.
	ScansFiles bool
	// Host is the name of the machine, Version the version of the program, and Cores the number
	// of cores that the worker may use. These fields, ScansFiles and Started are zero for a
	// worker of an earlier version.
	Host, Version string
	Cores         int64
	Started       time.Time
	// Seen is the time of the worker's last heartbeat, by the clock of this machine. It is zero
	// with SQLite, where a lock and not a heartbeat shows that a worker is alive. Seen is
	// read-only.
	Seen time.Time
}

// UpsertWorker registers a worker, or changes its registration.
func (t *Tx) UpsertWorker(ctx context.Context, w *Worker) error {
	return t.exec(ctx, `INSERT INTO worker (process, memory, scans_files, host, version, cores, started) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (process) DO UPDATE SET memory = excluded.memory, scans_files = excluded.scans_files, host = excluded.host, version = excluded.version,
		cores = excluded.cores, started = excluded.started`, w.Process, w.Memory, boolToInt(w.ScansFiles), w.Host, w.Version, w.Cores, toMicros(w.Started))
}

// DeleteWorker unregisters a worker.
func (t *Tx) DeleteWorker(ctx context.Context, process string) error {
	return t.exec(ctx, "DELETE FROM worker WHERE process = ?", process)
}

// DeleteDeadWorkers unregisters the workers that are considered dead. A suspended worker may be
// considered dead, too, and must register again when it continues.
func (s *Store) DeleteDeadWorkers(ctx context.Context) error {
	var names []string
	err := s.ReadOneStatement(ctx, func(t *Tx) (err error) {
		names, err = t.queryNonEmptyStrings(ctx, "SELECT process FROM worker")
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if s.IsProcessAlive(name) {
			continue
		}
		if err := s.writeReadCommitted(ctx, func(t *Tx) error { return t.DeleteWorker(ctx, name) }); err != nil { // one statement that reads only the row that it deletes
			return err
		}
	}
	return nil
}

// ListWorkers returns the registered workers, oldest first. Some of them may be dead. With
// PostgreSQL, these died only seconds ago.
func (t *Tx) ListWorkers(ctx context.Context) ([]*Worker, error) {
	rows, err := t.tx.QueryContext(ctx, "SELECT w.process, w.memory, w.scans_files, w.host, w.version, w.cores, w.started, "+t.dialect.aliveUntilSQL+
		" FROM worker w WHERE "+t.dialect.mayBeAliveSQL+" ORDER BY w.started, w.process")
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, func(row rowScanner) (*Worker, error) {
		var w Worker
		var started, until int64
		err := row.Scan(&w.Process, &w.Memory, &w.ScansFiles, &w.Host, &w.Version, &w.Cores, &started, &until)
		w.Started = fromMicros(started)
		if until > 0 {
			w.Seen = fromMicros(until).Add(-process.Timeout - t.tx.ClockOffset)
		}
		return &w, err
	})
}
