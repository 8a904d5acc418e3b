package connect

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/blob"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/store/pgurl"
	"foretell/internal/storedfile"
	"foretell/internal/term"
)

// storageFlag is the name of the flag that selects where the stored files are.
const storageFlag = "storage"

// storageTimeout limits how long an S3 store may take to respond when it is opened.
const storageTimeout = 30 * time.Second

// slowOpening is how long a starting service waits for the database or the stored files before it
// logs that it is waiting.
const slowOpening = 2 * time.Second

// BindStorage adds --storage to cmd.
func BindStorage(cmd *cobra.Command) {
	cmd.Flags().String(storageFlag, "", "`URL` of the stored files: s3://BUCKET/PREFIX or file:///DIR (default blobs/ in the data folder)")
	_ = cmd.Flags().SetAnnotation(storageFlag, config.NotASetting, []string{}) // fails only if the flag is not defined; the setting with the same name says where credentials are stored
}

// storageLocation returns the value of --storage or, if the flag is not set, of FORETELL_STORAGE.
// It may be "".
func storageLocation(f *cli.Factory, cmd *cobra.Command) string {
	if flag := cmd.Flags().Lookup(storageFlag); flag != nil && flag.Changed {
		return flag.Value.String()
	}
	return f.Env(config.EnvStorage)
}

// StorageName returns where the stored files are, for messages. It ends in a slash: blobs/, or
// the location that --storage or FORETELL_STORAGE selects.
func StorageName(f *cli.Factory, cmd *cobra.Command) string {
	location, _, _ := strings.Cut(storageLocation(f, cmd), "?")
	return strings.TrimSuffix(cmp.Or(location, "blobs"), "/") + "/"
}

// HasLocalData reports whether there may be data in the data folder dir, or in the database or
// storage that the flags of cmd select. A database server or an external storage counts as data.
// HasLocalData creates nothing.
func HasLocalData(f *cli.Factory, cmd *cobra.Command, dir string) bool {
	location, err := databaseLocation(f, cmd, dir)
	if err != nil || pgurl.Is(location) || storageLocation(f, cmd) != "" {
		return true // OpenSelected will report the error
	}
	return slices.ContainsFunc([]string{location, filepath.Join(dir, "blobs")}, func(path string) bool {
		_, err := os.Stat(path)
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// openBlobs opens the stored files of a service with the data folder dir. If location is "",
// they are in dir/blobs. process is the ID of this process.
func openBlobs(ctx context.Context, f *cli.Factory, dir, location, process string) (*blob.Store, error) {
	if location == "" {
		files, err := blob.OpenFolder(filepath.Join(dir, "blobs"), process)
		if err != nil {
			return nil, DataDirError(dir, err)
		}
		return files, nil
	}
	ctx, cancel := context.WithTimeout(ctx, storageTimeout)
	defer cancel()
	files, err := blob.Open(ctx, location, blob.Options{Process: process, TempDir: dir, Getenv: f.Env})
	return files, storageError(err)
}

// openExistingBlobs is like openBlobs, but only for reading. It creates nothing: if the folder does not
// exist, the error wraps fs.ErrNotExist.
func openExistingBlobs(ctx context.Context, f *cli.Factory, at serviceLocation) (*blob.Store, error) {
	const process = "reader" // the names of new files begin with it
	if at.storage == "" {
		if _, err := os.Stat(filepath.Join(at.dir, "blobs")); err != nil {
			return nil, DataDirError(at.dir, err)
		}
		return openBlobs(ctx, f, at.dir, "", process)
	}
	ctx, cancel := context.WithTimeout(ctx, storageTimeout)
	defer cancel()
	files, err := blob.Open(ctx, at.storage, blob.Options{Process: process, Getenv: f.Env, MustExist: true})
	return files, storageError(err)
}

// openError converts an error of opening the service at the location at to one with a message and a
// hint for users.
func openError(at serviceLocation, blobs *blob.Store, err error) error {
	if at.storage == "" || !errors.Is(err, storedfile.ErrFilesGone) {
		return databaseError(at.database, at.dir, err)
	}
	return exit.Errorf(exit.Unexpected, "cannot use the storage: %w", err).
		WithHint("nothing was changed; mount the disk of %[1]s, restore %[1]s from a backup, or correct or omit --storage or %[2]s; to start without these files, use `foretell serve --accept-database`", term.ShellQuote(blobs.Location()), config.EnvStorage)
}

// storageError converts an error of opening the stored files to one with a message and a
// hint for users.
func storageError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, blob.ErrInvalidLocation):
		return exit.Usagef("%w", err).WithHint("pass the location with --storage or %s, such as s3://foretell/prod?region=eu-central-1", config.EnvStorage)
	case errors.Is(err, blob.ErrCredentials):
		return exit.Usagef("cannot use the storage: %w", err).
			WithHint("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that is allowed to list, read, write and delete the objects in the bucket")
	case errors.Is(err, blob.ErrNoBucket):
		return exit.Usagef("cannot use the storage: %w", err).WithHint("create the bucket, or select another one with --storage or %s", config.EnvStorage)
	case errors.Is(err, blob.ErrUnavailable):
		return exit.Errorf(exit.Unavailable, "cannot use the storage: %w", err).WithHint("check the endpoint of --storage or %s, and that the store is running", config.EnvStorage)
	}
	return exit.Errorf(exit.Unexpected, "cannot use the storage: %w", err).WithHint("select another storage with --storage or %s", config.EnvStorage)
}
