package connect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/store"
	"foretell/internal/store/pgurl"
	"foretell/internal/term"
)

// openDatabase opens the database at the given location. If withoutUpgrade is set, a missing
// database or an old schema is an error. Otherwise openDatabase creates a missing database or
// folder, and upgrades the schema. But it returns an error if the database is missing although there
// are stored files, unless acceptDatabase is set. The folder of a service with a PostgreSQL database is
// created in both cases.
func (o *localOptions) openDatabase(ctx context.Context, f *cli.Factory, at serviceLocation) (*store.Store, error) {
	if !o.withoutUpgrade {
		if !o.acceptDatabase {
			if err := checkNoFilesWithoutDatabase(ctx, f, at); err != nil {
				return nil, err
			}
		}
		if err := os.MkdirAll(at.dir, 0o700); err != nil {
			return nil, DataDirError(at.dir, err)
		}
		return openDatabase(ctx, at.database, at.dir, func(message string, cause error) { o.log.WarnContext(ctx, message, "error", cause) })
	}
	database, err := openExistingDatabase(ctx, f, at)
	if err == nil && !database.HasNewestSchema() {
		err = errors.Join(fmt.Errorf("%s: %w", pgurl.Redact(at.database), ErrOldSchema), database.Close())
	}
	if errors.Is(err, ErrOldSchema) {
		return nil, oldSchemaError(err)
	}
	if err == nil && database.IsOnServer() { // a command such as "users add" may run before the service has created its folder
		if err := os.MkdirAll(at.dir, 0o700); err != nil {
			return nil, errors.Join(DataDirError(at.dir, err), database.Close())
		}
	}
	return database, err
}

// oldSchemaError converts cause, which wraps ErrOldSchema or ErrNoSchema, to an error with a hint
// for users. It is for commands that must not upgrade the database: an upgrade would stop the
// workers of an earlier version.
func oldSchemaError(cause error) error {
	if errors.Is(cause, store.ErrNoSchema) {
		return exit.Errorf(exit.Conflict, "cannot use the database: %w", cause).
			WithHint("if it is the right database, create the tables with `foretell migrate`")
	}
	return exit.Errorf(exit.Conflict, "cannot use the database: %w", cause).
		WithHint("use the version of foretell that the service runs; or upgrade the database with `foretell migrate`, but workers of earlier versions then claim no more jobs")
}

// openExistingDatabase is like the function openDatabase, but it neither creates the database nor
// upgrades its schema. It returns store.ErrOldSchema, without a hint, if the schema is too old to be
// read.
func openExistingDatabase(ctx context.Context, f *cli.Factory, at serviceLocation) (*store.Store, error) {
	if err := checkDatabaseExists(ctx, f, at); err != nil {
		return nil, err
	}
	database, err := store.OpenUnchanged(ctx, at.database)
	if err != nil && !errors.Is(err, store.ErrOldSchema) {
		err = databaseError(at.database, at.dir, err)
	}
	return database, err
}

// checkDatabaseExists returns an error if the database is a file that does not exist, because
// [store.Open] would create it. If there are stored files, an empty database file is also an error,
// and the error states the number of stored files.
func checkDatabaseExists(ctx context.Context, f *cli.Factory, at serviceLocation) error {
	if pgurl.Is(at.database) {
		return nil
	}
	if files, location, err := filesWithoutDatabase(ctx, f, at); err == nil && files > 0 { // on an error, the number is unknown
		return filesWithoutDatabaseError(at, files, location)
	}
	if _, err := os.Stat(at.database); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return DataDirError(at.dir, err)
		}
		return exit.Errorf(exit.NotFound, "the data folder %s has no database", at.dir).
			WithHint("pass the data folder of the service with --data-dir, or its database with --%s; if the file %s is lost, restore it from a backup", databaseFlag, databaseFile)
	}
	return nil
}

// checkNoFilesWithoutDatabase returns an error if there are stored files, but the database is a
// missing or empty file. Otherwise a command would create a database that does not contain the
// files.
func checkNoFilesWithoutDatabase(ctx context.Context, f *cli.Factory, at serviceLocation) error {
	files, location, err := filesWithoutDatabase(ctx, f, at)
	if err == nil && files > 0 {
		return filesWithoutDatabaseError(at, files, location)
	}
	return err
}

func filesWithoutDatabaseError(at serviceLocation, files int, location string) error {
	return exit.Errorf(exit.Unexpected, "the data folder %s has no database, although files are stored in %s (%s)", at.dir, location, humanize.Count(files, "file")).
		WithHint("nothing was changed; copy %s back, restore a backup to a new --data-dir, or pass the data folder of the service with --data-dir, or its database with --%s; "+
			"to continue without the lost database, use `foretell serve --accept-database`, which keeps the files for 30 days", term.ShellQuote(at.database), databaseFlag)
}

// filesWithoutDatabase returns the number of stored files and their location if the database is a
// missing or empty file. Otherwise it returns 0. It creates nothing.
func filesWithoutDatabase(ctx context.Context, f *cli.Factory, at serviceLocation) (files int, location string, err error) {
	if pgurl.Is(at.database) || !isMissingOrEmpty(at.database) {
		return 0, "", nil
	}
	blobs, err := openExistingBlobs(ctx, f, at)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	keys, err := blobs.Keys(ctx)
	if err != nil || !isMissingOrEmpty(at.database) { // meanwhile, another process may have created it and stored a file
		return 0, "", err
	}
	return len(keys), blobs.Location(), nil
}

// isMissingOrEmpty reports whether the file at path does not exist or has no bytes.
func isMissingOrEmpty(path string) bool {
	stat, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && stat.Size() == 0
}
