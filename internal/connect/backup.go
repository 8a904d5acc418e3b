package connect

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"foretell/internal/account"
	"foretell/internal/backup"
	"foretell/internal/blob"
	"foretell/internal/build"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/machine"
	"foretell/internal/store"
	"foretell/internal/term"
)

// serviceLocation is where a service has its data: the data folder dir, and the locations of the
// database and of the stored files.
type serviceLocation struct{ dir, database, storage string }

// locateService returns the location of the data of the service that the flags of cmd select.
func locateService(f *cli.Factory, cmd *cobra.Command) (at serviceLocation, err error) {
	s, err := config.Load(f.Env, cmd.Flags())
	if err != nil {
		return at, err
	}
	if at.dir, err = config.DataDir(f.Env, s); err != nil {
		return at, err
	}
	at.storage = storageLocation(f, cmd)
	at.database, err = databaseLocation(f, cmd, at.dir)
	return at, err
}

// locateServiceToMark is like locateService, for a command that writes the marker file; see
// markerFile. For a database on a server, a foretell.db in the data folder is an error, even if the
// flags do not name this folder.
func locateServiceToMark(f *cli.Factory, cmd *cobra.Command) (serviceLocation, error) {
	at, err := locateService(f, cmd)
	if err == nil {
		err = checkNoDatabaseFile(at.dir, at.database)
	}
	return at, err
}

// Backup writes to w a backup of the service that the flags of cmd select. The service may be
// running. The backup has the schema version of the database, which may be older than the schema
// version of this program. tempDir is the folder for temporary files. If it is "", the folder of
// the operating system is used.
func Backup(ctx context.Context, f *cli.Factory, cmd *cobra.Command, w io.Writer, tempDir string) (*backup.Summary, error) {
	at, err := locateService(f, cmd)
	if err != nil {
		return nil, err
	}
	database, err := openExistingDatabase(ctx, f, at)
	if errors.Is(err, store.ErrOldSchema) {
		e := exit.Errorf(exit.Rejected, "cannot back up: %w", err)
		if errors.Is(err, store.ErrNoSchema) {
			return nil, e.WithHint("pass the database of a service with --data-dir or --database")
		}
		return nil, e.WithHint("first copy the database, as a precaution; then upgrade it with `foretell migrate`")
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = database.Close() }() // an error does no harm: everything is stored
	summary, err := writeBackup(ctx, f, w, tempDir, at, database)
	if err != nil {
		return nil, backupError(at, err)
	}
	return summary, backupError(at, recordAuditEvent(ctx, f, database, "backup.create", ""))
}

// writeBackup writes the backup of an open database and its stored files to w.
func writeBackup(ctx context.Context, f *cli.Factory, w io.Writer, tempDir string, at serviceLocation, database *store.Store) (*backup.Summary, error) {
	if database.HasNewestSchema() { // openLocal checks that the files belong to the database
		service, err := openLocal(ctx, f, at)
		if err != nil {
			return nil, err
		}
		if err := service.Close(); err != nil {
			return nil, err
		}
	}
	blobs, err := openBlobs(ctx, f, at.dir, at.storage, database.ProcessName())
	if err != nil {
		return nil, err
	}
	return backup.Write(ctx, w, backup.ServiceData{Store: database, Blobs: blobs, TempDir: tempDir}, build.Current().Version, f.Now())
}

// recordAuditEvent adds an action of this command to the audit log. object is the object of the
// action, or "".
func recordAuditEvent(ctx context.Context, f *cli.Factory, database *store.Store, action, object string) error {
	accounts := account.New(account.Config{
		Store: database, Now: f.Now, Rand: rand.Reader, Log: newCommandLogger(f), ToProblem: func(err error) error { return err },
	})
	return accounts.RecordAuditEventInNewTx(ctx, action, object)
}

// VerifyBackup reads a whole backup and returns an error if it is damaged.
func VerifyBackup(ctx context.Context, r io.Reader) (*backup.Summary, error) {
	summary, err := backup.Verify(ctx, r, "")
	return summary, backupError(serviceLocation{}, err)
}

// Restore restores a backup into the empty service that the flags of cmd select.
func Restore(ctx context.Context, f *cli.Factory, cmd *cobra.Command, r io.Reader) (*backup.Summary, error) {
	at, err := locateServiceToMark(f, cmd)
	if err != nil {
		return nil, err
	}
	summary, err := restoreTo(ctx, f, r, at)
	if errors.Is(err, store.ErrDiskFull) || errors.Is(err, blob.ErrDiskFull) {
		return nil, restoreSpaceError(at.dir, err)
	}
	if err != nil {
		return nil, backupError(at, err)
	}
	// Opening the service completes the migration. It also writes the same new ID to the database and
	// to the stored files, by which later commands see that the two belong together. It does so even
	// if the backup has no files.
	service, err := openLocalWith(ctx, f, at, localOptions{log: newCommandLogger(f), ownJobsOnly: true, acceptDatabase: true, writesMarker: true})
	if err != nil {
		return nil, exit.Errorf(exit.FromError(ctx, err).Status, "the backup was restored, but the service cannot be opened: %w", err).
			WithHint("do not restore it again; see the cause with `foretell doctor`, then start the service")
	}
	defer func() { _ = service.Close() }() // an error does no harm: everything is stored
	return summary, service.App.RecordAuditEventInNewTx(ctx, "backup.restore", summary.Header.Created.Format("2006-01-02T15:04:05Z"))
}

// restoreSpaceError converts the error of a restore that ran out of space to an error with a
// message and a hint for users. dir is the data folder.
func restoreSpaceError(dir string, err error) error {
	free, _, _ := blob.DiskSpace(dir) // 0 on an error
	if limit := machine.FileSizeLimit(); limit > 0 && limit < free {
		var known *exit.Error
		if errors.As(err, &known) && known.Hint != "" { // databaseError has named the limit
			return err
		}
		return exit.Errorf(exit.Unexpected, "nothing was restored: this process is only allowed to write files of at most %s: %w", term.FormatBytes(int64(limit)), err).
			WithHint("raise the limit with `ulimit -f unlimited`")
	}
	return exit.Errorf(exit.Unexpected, "nothing was restored: %w", err).WithHint("free some space, or restore to another disk with --data-dir, --database or --storage")
}

// newerBackupHint is the hint if a backup is from a newer version of foretell.
const newerBackupHint = "nothing was restored; use the version of foretell that wrote the backup, or a newer one"

// restoreTo restores a backup into an empty service. r is the backup, and at is the location of the
// service.
func restoreTo(ctx context.Context, f *cli.Factory, r io.Reader, at serviceLocation) (*backup.Summary, error) {
	// Stored files are looked for first, because backup.Restore would create the database before it
	// finds them.
	if files, location, err := filesWithoutDatabase(ctx, f, at); err == nil && files > 0 {
		return nil, fmt.Errorf("%w: %s has %s", backup.ErrNotEmpty, location, humanize.Count(files, "stored file"))
	}
	var opened *store.Store
	defer func() {
		if opened != nil {
			_ = opened.Close() // an error does no harm: the rows are committed
		}
	}()
	if err := os.MkdirAll(at.dir, 0o700); err != nil {
		return nil, DataDirError(at.dir, err)
	}
	return backup.Restore(ctx, r, at.dir, f.Now(), func(h backup.Header) (*backup.ServiceData, error) {
		var err error
		opened, err = store.OpenVersion(ctx, at.database, h.Schema)
		var unsupported *store.UnsupportedVersionError
		if errors.As(err, &unsupported) {
			return nil, exit.Errorf(exit.Rejected, "the backup is from a newer version of foretell: %w", unsupported).WithHint(newerBackupHint)
		}
		if errors.Is(err, store.ErrNewerSchema) {
			return nil, exit.Errorf(exit.Rejected, "cannot restore: %w", err).
				WithHint("nothing was restored; name an empty database with --data-dir or --database")
		}
		if err != nil {
			return nil, databaseError(at.database, at.dir, err)
		}
		blobs, err := openBlobs(ctx, f, at.dir, at.storage, opened.ProcessName())
		return &backup.ServiceData{Store: opened, Blobs: blobs, TempDir: at.dir}, err
	})
}

// backupError converts an error of writing, reading or restoring a backup to one with a
// message and a hint for users. at is the location of the service.
func backupError(at serviceLocation, err error) error {
	var known *exit.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, blob.ErrUnavailable):
		return storageError(err)
	case errors.Is(err, store.ErrUnavailable):
		return databaseError(at.database, at.dir, err)
	case errors.Is(err, backup.ErrDamaged):
		return exit.Errorf(exit.Untrusted, "%w", err).WithHint("nothing was restored; use another backup")
	case errors.Is(err, backup.ErrNewer):
		return exit.Errorf(exit.Rejected, "%w", err).WithHint(newerBackupHint)
	case errors.Is(err, backup.ErrNotEmpty):
		return exit.Errorf(exit.Conflict, "cannot restore: %w", err).
			WithHint("nothing was changed; name a new --data-dir, an empty --database and an empty --storage; if an interrupted restore has left files, delete them and try again")
	}
	return err
}
