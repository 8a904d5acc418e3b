package connect

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/store/pgurl"
)

// SelectsDatabase reports whether --database of cmd or FORETELL_DATABASE selects a PostgreSQL
// database.
func SelectsDatabase(f *cli.Factory, cmd *cobra.Command) bool {
	return cmd.Flags().Changed(databaseFlag) || f.Env(config.EnvDatabase) != ""
}

// CheckDatabase connects to the PostgreSQL database that [SelectsDatabase] reports, and changes
// nothing. It returns the URL without the password. It returns ErrOldSchema if the schema is of an
// earlier version. dir is the data folder.
func CheckDatabase(ctx context.Context, f *cli.Factory, cmd *cobra.Command, dir string) (shown string, err error) {
	location, err := databaseLocation(f, cmd, dir)
	if err != nil {
		return "", err
	}
	database, err := openExistingDatabase(ctx, location, dir)
	if err != nil {
		return "", err
	}
	if !database.HasNewestSchema() {
		err = ErrOldSchema
	}
	_ = database.Close() // an error does no harm: nothing was written
	return pgurl.Redact(location), err
}

// SelectsBucket reports whether the selected storage is an S3 store.
func SelectsBucket(f *cli.Factory, cmd *cobra.Command) bool {
	return strings.HasPrefix(storageLocation(f, cmd), "s3:")
}

// CheckBucket connects to the S3 store that [SelectsBucket] reports, and changes nothing.
func CheckBucket(ctx context.Context, f *cli.Factory, cmd *cobra.Command) error {
	_, err := openBlobs(ctx, f, "", storageLocation(f, cmd), "doctor")
	return err
}
