package connect

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"foretell/internal/backup"
	"foretell/internal/build"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/store"
)

// dataDir returns the data folder that the flags of cmd select.
func dataDir(f *cli.Factory, cmd *cobra.Command) (string, error) {
	s, err := config.Load(f.Env, cmd.Flags())
	if err != nil {
		return "", err
	}
	return config.DataDir(f.Env, s)
}

// Backup writes a backup of the service that the flags of cmd select to w. The service may
// be running.
func Backup(ctx context.Context, f *cli.Factory, cmd *cobra.Command, w io.Writer) (*backup.Summary, error) {
	dir, err := dataDir(f, cmd)
	if err != nil {
		return nil, err
	}
	location, err := databaseLocation(f, cmd, dir)
	if err != nil {
		return nil, err
	}
	if !store.IsURL(location) {
		if _, err := os.Stat(location); err != nil { // opening it would create it
			return nil, exit.Errorf(exit.NotFound, "cannot back up %s: %w", dir, err).WithHint("pass the data folder of the service with --data-dir, or its database with --database")
		}
	}
	service, err := OpenLocal(ctx, dir, f, cmd)
	if err != nil {
		return nil, err
	}
	defer func() { _ = service.Close() }() // the audit event is written
	from := backup.Place{Store: service.store, Blobs: service.blobs, TempDir: dir}
	summary, err := backup.Write(ctx, w, from, build.Current().Version, f.Now())
	if err != nil {
		return nil, backupError(err)
	}
	return summary, service.App.RecordOperation(ctx, "backup.create", "")
}

// VerifyBackup reads a whole backup and verifies it.
func VerifyBackup(ctx context.Context, r io.Reader) (*backup.Summary, error) {
	summary, err := backup.Verify(ctx, r, "")
	return summary, backupError(err)
}

// Restore restores a backup into the empty service that the flags of cmd select.
func Restore(ctx context.Context, f *cli.Factory, cmd *cobra.Command, r io.Reader) (*backup.Summary, error) {
	dir, err := dataDir(f, cmd)
	if err != nil {
		return nil, err
	}
	location, err := databaseLocation(f, cmd, dir)
	if err != nil {
		return nil, err
	}
	summary, err := restoreTo(ctx, f, r, placeLocation{dir, location, storageOf(f, cmd)})
	if err != nil {
		return nil, backupError(err)
	}
	// Opening the service completes the migration, and sets the common identity of the
	// files and the database.
	service, err := OpenLocal(ctx, dir, f, cmd)
	if err != nil {
		return nil, err
	}
	defer func() { _ = service.Close() }() // the audit event is written
	return summary, service.App.RecordOperation(ctx, "backup.restore", summary.Header.Created.Format("2006-01-02T15:04:05Z"))
}

// placeLocation says where the parts of a service are.
type placeLocation struct{ dir, database, storage string }

// restoreTo restores a backup into the place at a location.
func restoreTo(ctx context.Context, f *cli.Factory, r io.Reader, at placeLocation) (*backup.Summary, error) {
	var opened *store.Store
	defer func() {
		if opened != nil {
			_ = opened.Close() // the rows are committed
		}
	}()
	if err := os.MkdirAll(at.dir, 0o700); err != nil {
		return nil, DataDirError(at.dir, err)
	}
	return backup.Restore(ctx, r, at.dir, func(h backup.Header) (*backup.Place, error) {
		var err error
		opened, err = store.OpenSchema(ctx, at.database, h.Schema)
		if errors.Is(err, store.ErrNewerSchema) {
			return nil, exit.Errorf(exit.Rejected, "cannot restore: %w", err).
				WithHint("use the version of foretell that wrote the backup, or a newer one, and a new database")
		}
		if err != nil {
			return nil, databaseError(at.database, at.dir, err)
		}
		blobs, err := openBlobs(ctx, f, at.dir, at.storage, opened.ProcessName())
		return &backup.Place{Store: opened, Blobs: blobs, TempDir: at.dir}, err
	})
}

// backupError explains why a backup cannot be written or restored.
func backupError(err error) error {
	var known *exit.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, backup.ErrDamaged):
		return exit.Errorf(exit.Untrusted, "%w", err).WithHint("nothing was restored; use another backup")
	case errors.Is(err, backup.ErrNewer):
		return exit.Errorf(exit.Rejected, "%w", err).WithHint("nothing was restored; use the version of foretell that wrote the backup, or a newer one")
	case errors.Is(err, backup.ErrNotEmpty):
		return exit.Errorf(exit.Conflict, "cannot restore: %w", err).
			WithHint("nothing was changed; name a new --data-dir, an empty --database and an empty --storage; files of an interrupted restore can be deleted")
	}
	return err
}
