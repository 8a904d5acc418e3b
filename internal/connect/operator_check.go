package connect

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"foretell/internal/blob"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/store/pgurl"
)

// SelectsDatabase reports whether --database of cmd or FORETELL_DATABASE selects a PostgreSQL
// database.
func SelectsDatabase(f *cli.Factory, cmd *cobra.Command) bool {
	return cmd.Flags().Changed(databaseFlag) || f.Env(config.EnvDatabase) != ""
}

// CheckDatabase connects to the PostgreSQL database that --database or FORETELL_DATABASE selects,
// and changes nothing. It returns the URL without the password, and ErrOldSchema if the schema is
// of an earlier version. dir is the data folder.
func CheckDatabase(ctx context.Context, f *cli.Factory, cmd *cobra.Command, dir string) (shown string, err error) {
	location, err := databaseLocation(f, cmd, dir)
	if err != nil {
		return "", err
	}
	database, err := openExistingDatabase(ctx, f, serviceLocation{dir: dir, database: location, storage: storageLocation(f, cmd)})
	if err != nil {
		return "", err
	}
	if !database.HasNewestSchema() {
		err = ErrOldSchema
	}
	_ = database.Close() // an error does no harm: nothing was written
	return pgurl.Redact(location), err
}

// SelectsStorage reports whether --storage of cmd or FORETELL_STORAGE selects an S3 store or a folder.
func SelectsStorage(f *cli.Factory, cmd *cobra.Command) bool { return storageLocation(f, cmd) != "" }

// CheckStorage connects to the S3 store that --storage or FORETELL_STORAGE selects, or checks that
// the folder exists. It changes nothing.
func CheckStorage(ctx context.Context, f *cli.Factory, cmd *cobra.Command) error {
	ctx, cancel := context.WithTimeout(ctx, storageTimeout)
	defer cancel()
	_, err := blob.Open(ctx, storageLocation(f, cmd), blob.Options{Process: "doctor", Getenv: f.Env, MustExist: true})
	if errors.Is(err, fs.ErrNotExist) {
		return exit.Errorf(exit.NotFound, "the folder of the stored files does not exist: %w", err).
			WithHint("mount its disk, or select another storage with --storage or %s", config.EnvStorage)
	}
	return storageError(err)
}
