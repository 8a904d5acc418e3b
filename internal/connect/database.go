package connect

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/blob"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/store"
	"foretell/internal/store/pgurl"
	"foretell/internal/storedfile"
	"foretell/internal/term"
)

// databaseFile is the name of the SQLite database in a data folder.
const databaseFile = "foretell.db"

// markerFile is the name of the file in a data folder that describes the PostgreSQL database of
// the folder. Without this file, a command that lacks --database would create an empty foretell.db.
const markerFile = "database.txt"

// databaseFlag is the name of the flag that selects a PostgreSQL database.
const databaseFlag = "database"

// BindDatabase adds --database to cmd.
func BindDatabase(cmd *cobra.Command) {
	cmd.Flags().String(databaseFlag, "", "`URL` of a PostgreSQL database to use instead of "+databaseFile)
}

// databaseLocation returns the location of the database of the data folder dir, for [store.Open].
// This is the value of the flag --database or, if the flag is not set, of FORETELL_DATABASE. If the
// value is empty, or if cmd does not have the flag, the location is the path of foretell.db in dir.
//
// It is an error to select foretell.db if the folder has a marker file; see markerFile. It is also
// an error to select a URL if --data-dir names a folder with a foretell.db.
func databaseLocation(f *cli.Factory, cmd *cobra.Command, dir string) (string, error) {
	flag := cmd.Flags().Lookup(databaseFlag)
	location := ""
	if flag != nil {
		location = f.Env(config.EnvDatabase)
		if flag.Changed {
			location = flag.Value.String()
		}
	}
	switch {
	case location == "":
		return filepath.Join(dir, databaseFile), checkNoMarkerFile(dir, flag != nil)
	case !pgurl.Is(location): // the message omits it, because it may contain a password
		return "", exit.Usagef("invalid --%s or %s: it is not the URL of a PostgreSQL database", databaseFlag, config.EnvDatabase).
			WithHint("pass postgres://USER@HOST/DATABASE, with the password in PGPASSWORD or ~/.pgpass")
	case cmd.Flags().Changed(config.KeyDataDir): // the default folder may have the database of commands without a server
		return location, checkNoDatabaseFile(dir, location)
	}
	return location, nil
}

// checkNoDatabaseFile returns an error if the data folder dir has a foretell.db. location is the
// URL of the selected database.
func checkNoDatabaseFile(dir, location string) error {
	path := filepath.Join(dir, databaseFile)
	if _, err := os.Stat(path); err != nil || !pgurl.Is(location) {
		return nil //nolint:nilerr // opening the folder reports other errors
	}
	return exit.Errorf(exit.Conflict, "the data folder %s has its own database file %s, but --%s or %s selects the database %s", dir, databaseFile, databaseFlag, config.EnvDatabase, pgurl.Redact(location)).
		WithHint("to use the file %s, pass --%s ''; to use the PostgreSQL database instead, set --%s to a folder that does not contain this file, or move %s away", databaseFile, databaseFlag, config.KeyDataDir, term.ShellQuote(path))
}

// checkNoMarkerFile returns an error if the data folder dir has a marker file. canSelect reports
// whether the command has the flag --database. If it has, the hint of the error names this flag.
func checkNoMarkerFile(dir string, canSelect bool) error {
	path := filepath.Join(dir, markerFile)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return DataDirError(dir, err)
	}
	e := exit.Errorf(exit.Conflict, "the data folder %s belongs to %s", dir, strings.TrimSpace(string(content)))
	if !canSelect {
		return e.WithHint("use the service with --server, or another folder with --data-dir")
	}
	return e.WithHint("pass the URL of this database with --%s or %s (docs/deployment.md shows how to run a command with the environment of the service); to use the file %s as the database instead, delete the file %s",
		databaseFlag, config.EnvDatabase, databaseFile, term.ShellQuote(path))
}

// writeMarker writes the marker file of the data folder dir for the PostgreSQL database at
// location. It keeps an existing marker file, and logs a warning if that file names another
// database.
func writeMarker(ctx context.Context, log *slog.Logger, dir, location string) error {
	description, err := pgurl.Describe(location)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, markerFile)
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return config.WritePrivateFile(path, []byte(description+"\n"))
	}
	if named := strings.TrimSpace(string(old)); err == nil && named != description {
		log.WarnContext(ctx, "a file in the data folder names another database; delete the file if the database has moved", "file", path, "names", named, "database", description)
	}
	return err
}

// Migration describes an upgrade of a database from one version of its schema to another.
type Migration struct {
	// Database is the location of the database, without the password.
	Database string `json:"database"`
	// From is the schema version before the upgrade; 0 means an empty database. To is the schema
	// version after the upgrade, which is the newest.
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Migrate upgrades the database of the service that the flags of cmd select to the newest
// schema.
func Migrate(ctx context.Context, f *cli.Factory, cmd *cobra.Command) (*Migration, error) {
	at, err := locateService(f, cmd)
	if err != nil {
		return nil, err
	}
	if err := checkNoFilesWithoutDatabase(ctx, f, at); err != nil {
		return nil, err
	}
	database, err := openDatabase(ctx, at.database, at.dir, func(message string, cause error) { f.Note("%s: %s", message, cause) })
	if err != nil {
		return nil, err
	}
	m := database.Migration()
	return &Migration{Database: pgurl.Redact(at.database), From: m.From, To: m.To}, database.Close()
}

// openDatabase opens the database at location, which belongs to the data folder dir. It calls warn
// each time the upgrade of the schema is delayed.
func openDatabase(ctx context.Context, location, dir string, warn func(message string, cause error)) (*store.Store, error) {
	database, err := store.OpenWithNotice(ctx, location, func(cause error) {
		warn("the upgrade of the database waits until another transaction ends, such as that of a backup; trying again", cause)
	})
	if err != nil {
		return nil, databaseError(location, dir, err)
	}
	return database, nil
}

// databaseError converts an error of opening the database at location to one with a
// message and a hint for users. dir is its data folder.
func databaseError(location, dir string, err error) error {
	ofFiles := errors.Is(err, blob.ErrUnavailable) || errors.Is(err, storedfile.ErrOtherStorage) || errors.Is(err, storedfile.ErrFilesGone)
	if ofFiles || !pgurl.Is(location) {
		return DataDirError(dir, err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err // not caused by the database
	}
	e := exit.Errorf(exit.Unexpected, "cannot use the database: %w", err)
	switch {
	case errors.Is(err, storedfile.ErrMismatch):
		return e.WithHint("no stored file was changed; use --data-dir with the data folder that belongs to this database, or --%s with the database that belongs to this folder", databaseFlag)
	case errors.Is(err, pgurl.ErrInvalidParameter):
		return exit.Usagef("%w", err).WithHint("correct the parameter in the query of the URL, or the PG* environment variable that sets it; see the connection parameters of libpq")
	case errors.Is(err, pgurl.ErrInvalid):
		return exit.Usagef("%w", err).WithHint("write special characters of the user and the password as %%40 for @, %%2F for / and %%23 for #, or put the password into PGPASSWORD or ~/.pgpass")
	case errors.Is(err, store.ErrNewerSchema):
		return e.WithHint("use the version of foretell that wrote the database, or a newer one")
	case errors.Is(err, store.ErrForbidden):
		return e.WithHint("run `foretell migrate --database URL`, where the user in URL must own the tables; then grant the rights on the new tables (see Rights in docs/operations.md)")
	case errors.Is(err, store.ErrReadOnly):
		return exit.Errorf(exit.Unavailable, "cannot use the database: %w", err).
			WithHint("name the primary server in the URL, or all servers with the parameter target_session_attrs=primary")
	case errors.Is(err, store.ErrConnectionRejected):
		return exit.Errorf(exit.Unavailable, "cannot use the database: %w", err).
			WithHint("the server responds; correct the parameters of the URL, such as sslmode, and check them with `psql %s`", term.ShellQuote(pgurl.ForPsql(location)))
	case errors.Is(err, store.ErrUnavailable):
		return exit.Errorf(exit.Unavailable, "cannot use the database: %w", err).
			WithHint("check that the server runs and accepts connections: `psql %s`", term.ShellQuote(pgurl.ForPsql(location)))
	}
	return e.WithHint("check the database, its user and the password with `psql %s`", term.ShellQuote(pgurl.ForPsql(location)))
}
