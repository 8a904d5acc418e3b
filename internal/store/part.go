package store

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/store/database"
)

// RacePart is a part of a race: the training of one algorithm, by another worker than the worker
// that runs the race.
type RacePart struct {
	// Training is the key of this algorithm's training job, and Algorithm the name of the
	// algorithm. Algorithm is read-only.
	Training, Algorithm string
	// ReachedTime is the estimated cost of the training until the algorithm reached the threshold
	// of the race. It is nil if the algorithm has not reached the threshold.
	ReachedTime *float64
	// File is the stored recording of the training, from which the worker of the race repeats it.
	// It is the zero File until the training has ended.
	File
}

const partColumns = "p.training, t.algorithm, p.reached, p.blob, coalesce(p.bytes, 0), coalesce(p.sha256, '')"

// ListParts returns those parts of a race that have ended or reached the threshold.
func (t *Tx) ListParts(ctx context.Context, race string) ([]*RacePart, error) {
	rows, err := t.tx.QueryContext(ctx, "SELECT "+partColumns+" FROM part p JOIN training t ON t.key = p.training WHERE t.parent = ? ORDER BY t.position", race)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, func(row rowScanner) (*RacePart, error) {
		var p RacePart
		return &p, row.Scan(&p.Training, &p.Algorithm, &p.ReachedTime, &p.Blob, &p.Bytes, &p.SHA256)
	})
}

// SetThresholdReachedTime sets the ReachedTime of a part of a race to the argument time, which is
// an estimated cost. run is the key of the part; see [RacePart].
func (t *Tx) SetThresholdReachedTime(ctx context.Context, run string, time float64) error {
	return database.TranslateError(t.exec(ctx, "INSERT INTO part (training, reached) VALUES (?, ?) ON CONFLICT (training) DO UPDATE SET reached = excluded.reached", run, time))
}

// UpsertRecording sets the File of a part of a race. run is the key of the part; see [RacePart].
func (t *Tx) UpsertRecording(ctx context.Context, run string, f File) error {
	return database.TranslateError(t.exec(ctx, `INSERT INTO part (training, blob, bytes, sha256) VALUES (?, ?, ?, ?)
		ON CONFLICT (training) DO UPDATE SET blob = excluded.blob, bytes = excluded.bytes, sha256 = excluded.sha256`, run, f.Blob, f.Bytes, f.SHA256))
}

// CancelParts asks the other workers to stop training the parts of a race.
func (t *Tx) CancelParts(ctx context.Context, race string) error {
	return t.exec(ctx, "UPDATE job SET cancelled = 1 WHERE subject IN (SELECT key FROM training WHERE parent = ?)", race)
}

// DeletePartJobs deletes the jobs of a race's parts, even if they are leased.
func (t *Tx) DeletePartJobs(ctx context.Context, race string) error {
	return t.exec(ctx, "DELETE FROM job WHERE subject IN (SELECT key FROM training WHERE parent = ?)", race)
}

// deletePartJobsOfQueuedRace deletes the jobs of the parts of a queued race, even leased jobs. The
// race begins again and does not use the results of these parts. job is the key of the race's own
// job. If this job is leased, nothing is deleted.
func (t *Tx) deletePartJobsOfQueuedRace(ctx context.Context, job string) error {
	return t.exec(ctx, `DELETE FROM job WHERE subject IN (SELECT r.key FROM training r JOIN job j ON j.subject = r.parent
		WHERE j.key = ? AND j.owner = '')`, job)
}

// DeletePartsAndJobs deletes the parts of a race and their jobs, even leased jobs. It returns the
// keys of the parts' blobs.
func (t *Tx) DeletePartsAndJobs(ctx context.Context, race string) (blobKeys []string, err error) {
	if err := t.DeletePartJobs(ctx, race); err != nil {
		return nil, err
	}
	const runs = "SELECT key FROM training WHERE parent = ?"
	blobKeys, err = t.queryNonEmptyStrings(ctx, "SELECT blob FROM part WHERE training IN ("+runs+")", race)
	if err != nil {
		return nil, err
	}
	return blobKeys, t.exec(ctx, "DELETE FROM part WHERE training IN ("+runs+")", race)
}

// DeletePartsOfEndedRaces deletes the parts of all races that have ended. It returns the keys of
// their blobs.
func (t *Tx) DeletePartsOfEndedRaces(ctx context.Context) (blobKeys []string, err error) {
	const ended = "SELECT r.key FROM training r JOIN training race ON race.key = r.parent WHERE race.status NOT IN ('" + api.TrainingPending + "', '" + api.TrainingRunning + "')"
	blobKeys, err = t.queryNonEmptyStrings(ctx, "SELECT blob FROM part WHERE training IN ("+ended+")")
	if err != nil {
		return nil, err
	}
	return blobKeys, t.exec(ctx, "DELETE FROM part WHERE training IN ("+ended+")")
}

// CountQueuedJobs returns the number of jobs of a kind that no process has leased. The jobs of
// disabled accounts do not count, because no process may claim them.
func (t *Tx) CountQueuedJobs(ctx context.Context, kind string) (n int, err error) {
	err = t.tx.QueryRowContext(ctx, "SELECT count(*) FROM job j JOIN account a ON a.key = j.account WHERE j.kind = ? AND j.owner = '' AND a.disabled = 0", kind).Scan(&n)
	return n, err
}

// ListLeaseHolders returns the processes that have leased a job of one of the two kinds.
func (t *Tx) ListLeaseHolders(ctx context.Context, kind, otherKind string) ([]string, error) {
	return t.queryNonEmptyStrings(ctx, "SELECT DISTINCT owner FROM job WHERE kind IN (?, ?) AND owner <> ''", kind, otherKind)
}
