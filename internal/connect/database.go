package connect

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"foretell/internal/app"
	"foretell/internal/blob"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/store"
	"foretell/internal/term"
)

// DatabaseFile is the name of the SQLite database in a data folder.
const DatabaseFile = "foretell.db"

// databaseFlag is the name of the flag that selects a PostgreSQL database.
const databaseFlag = "database"

// BindDatabase adds --database to cmd.
func BindDatabase(cmd *cobra.Command) {
	cmd.Flags().String(databaseFlag, "", "`URL` of a PostgreSQL database to use instead of "+DatabaseFile)
}

// databaseLocation returns the location of the database of the data folder dir, for
// [store.Open]. For a command with the flag --database, it is the value of the flag or,
// if that is not set, of FORETELL_DATABASE. If neither is set, or if cmd has no such
// flag, it is the path of foretell.db in dir.
func databaseLocation(f *cli.Factory, cmd *cobra.Command, dir string) (string, error) {
	flag := cmd.Flags().Lookup(databaseFlag)
	if flag == nil {
		return filepath.Join(dir, DatabaseFile), nil
	}
	location := cmp.Or(flag.Value.String(), f.Env(config.EnvDatabase))
	switch {
	case location == "":
		return filepath.Join(dir, DatabaseFile), nil
	case !store.IsURL(location): // the message omits it, because it may contain a password
		return "", exit.Usagef("invalid --%s or %s: it is not the URL of a PostgreSQL database", databaseFlag, config.EnvDatabase).
			WithHint("pass postgres://USER@HOST/DATABASE, with the password in PGPASSWORD or ~/.pgpass")
	}
	return location, nil
}

// Migration describes an upgrade of a database from one version of its schema to another.
type Migration struct {
	// Database is the location of the database, without the password.
	Database string `json:"database"`
	// From is the version before the upgrade; 0 means an empty database. To is the version
	// after the upgrade, which is the newest.
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
	database, err := openDatabase(ctx, at.database, at.dir)
	if err != nil {
		return nil, err
	}
	m := database.Migration()
	return &Migration{Database: store.RedactURL(at.database), From: m.From, To: m.To}, database.Close()
}

// openDatabase opens the database at location, which belongs to the data folder dir.
func openDatabase(ctx context.Context, location, dir string) (*store.Store, error) {
	database, err := store.Open(ctx, location)
	if err != nil {
		return nil, databaseError(location, dir, err)
	}
	return database, nil
}

// databaseError converts an error of opening the database at location to one with a
// message and a hint for users. dir is its data folder.
func databaseError(location, dir string, err error) error {
	ofFiles := errors.Is(err, blob.ErrUnavailable) || errors.Is(err, app.ErrOtherStorage) || errors.Is(err, app.ErrFilesGone)
	if ofFiles || !store.IsURL(location) {
		return DataDirError(dir, err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err // not caused by the database
	}
	e := exit.Errorf(exit.Unexpected, "cannot use the database: %w", err)
	switch {
	case errors.Is(err, app.ErrMismatch):
		return e.WithHint("no stored file was changed; use --data-dir with the data folder that belongs to this database, or --%s with the database that belongs to this folder", databaseFlag)
	case errors.Is(err, store.ErrInvalidURL):
		return exit.Usagef("%w", err).WithHint("write special characters of the user and the password as %%40 for @, %%2F for / and %%23 for #, or put the password into PGPASSWORD or ~/.pgpass")
	case errors.Is(err, store.ErrNewerSchema):
		return e.WithHint("use the version of foretell that wrote the database, or a newer one")
	case errors.Is(err, store.ErrUnavailable):
		return exit.Errorf(exit.Unavailable, "cannot use the database: %w", err).
			WithHint("check that the server runs and accepts connections: `psql %s`", term.ShellQuote(store.RedactURL(location)))
	}
	return e.WithHint("check the database, its user and the password with `psql %s`", term.ShellQuote(store.RedactURL(location)))
}
