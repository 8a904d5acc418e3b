package cmd

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/app"
	"foretell/internal/blob"
	"foretell/internal/server"
	"foretell/internal/store"
	"foretell/internal/term"
)

// localService is the service on a data folder in this process.
type localService struct {
	app   *app.App
	store *store.Store
	log   *slog.Logger
	now   func() time.Time
	dir   string
}

// localOptions are the options for opening a data folder.
type localOptions struct {
	log *slog.Logger
	// acceptDatabase accepts a database that does not belong to the stored files.
	acceptDatabase bool
	// ownWork limits jobs to those that the command queues or waits for.
	ownWork bool
}

// openLocal opens or creates the data folder. Several processes may open it at once.
func openLocal(ctx context.Context, dir string, f *factory) (*localService, error) {
	log := slog.New(slog.DiscardHandler)
	if f.env(envDebug) != "" {
		log = f.logger()
	}
	return openLocalWith(ctx, dir, f, localOptions{log: log, ownWork: true})
}

// daemonFlags holds the flags of serve and worker.
type daemonFlags struct {
	quiet, acceptDatabase bool
}

func (f *daemonFlags) bind(cmd *cobra.Command) {
	cmd.Flags().String(keyDataDir, "", "data `folder`")
	cmd.Flags().BoolVar(&f.acceptDatabase, "accept-database", false, "start even if foretell.db is new or does not belong to the files in blobs/")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not log")
}

// openDaemon opens the data folder for serve and worker, which run the jobs of every
// process. It logs unless quiet is set.
func openDaemon(ctx context.Context, f *factory, cmd *cobra.Command, flags daemonFlags) (*localService, error) {
	s, err := f.settings(cmd.Flags())
	if err != nil {
		return nil, err
	}
	dir, err := f.dataDir(s)
	if err != nil {
		return nil, err
	}
	log := f.logger()
	if flags.quiet {
		log = slog.New(slog.DiscardHandler)
	}
	return openLocalWith(ctx, dir, f, localOptions{log: log, acceptDatabase: flags.acceptDatabase})
}

// openLocalWith is openLocal with options.
func openLocalWith(ctx context.Context, dir string, f *factory, opts localOptions) (*localService, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, dataDirError(dir, err)
	}
	rows, err := store.Open(ctx, filepath.Join(dir, databaseFile))
	if err != nil {
		return nil, dataDirError(dir, err)
	}
	bytes, err := blob.Open(filepath.Join(dir, "blobs"), rows.Process())
	if err != nil {
		return nil, errors.Join(dataDirError(dir, err), rows.Close())
	}
	a, err := app.New(app.Config{
		Store: rows, Blobs: bytes, Scratch: dir, Now: f.now, Rand: rand.Reader, Log: opts.log,
		AcceptDatabase: opts.acceptDatabase, OwnJobsOnly: opts.ownWork,
	})
	if err != nil {
		return nil, errors.Join(dataDirError(dir, err), rows.Close())
	}
	return &localService{app: a, store: rows, log: opts.log, now: f.now, dir: dir}, nil
}

// databaseFile is the name of the database in the data folder.
const databaseFile = "foretell.db"

// dataDirError explains why a data folder cannot be used.
func dataDirError(dir string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err // the folder is not to blame
	}
	e := exitErrorf(ExitUnexpected, "cannot use the data folder %s: %w", dir, err)
	database := shellQuote(filepath.Join(dir, databaseFile))
	switch {
	case errors.Is(err, app.ErrFilesGone):
		return e.withHint("nothing was changed; mount the disk of %[1]s, or restore %[1]s from a backup; "+
			"`foretell serve --accept-database` starts without its files", shellQuote(filepath.Join(dir, "blobs")))
	case errors.Is(err, app.ErrMismatch):
		return e.withHint("no stored file was changed; restore %s from a backup, or continue without it: "+
			"`foretell serve --accept-database` keeps the files for 30 days in blobs/orphans", database)
	case errors.Is(err, store.ErrCorrupt):
		return e.withHint("nothing was changed; move %[1]s, %[1]s-wal and %[1]s-shm away and restore %[1]s from a backup, "+
			"or name another folder with --data-dir or %[2]s", database, envDataDir)
	case errors.Is(err, store.ErrFull):
		free, _, _ := blob.Space(dir) // 0 where it cannot be told
		return exitErrorf(ExitUnexpected, "cannot use the data folder %s: its disk is full, %s free: %w", dir, term.Bytes(int64(free)), err).
			withHint("free space on that disk, or move the folder to another one and name it with --data-dir; with a few MB free `foretell prune` works again")
	case errors.Is(err, store.ErrNewer):
		return e.withHint("use the foretell that wrote it or a newer one, or name another folder with --data-dir or %s", envDataDir)
	}
	return e.withHint("name another folder with --data-dir or %s", envDataDir)
}

// handler returns the API's handler.
func (s *localService) handler(publicURL string) http.Handler {
	return server.New(s.app, server.Options{Log: s.log, Now: s.now, PublicURL: publicURL, Version: currentBuild().Version})
}

// work starts running jobs. The returned function stops them and waits until all have
// stopped.
func (s *localService) work() func() error {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.app.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

func (s *localService) close() error { return s.store.Close() }

// logger returns the service's log, which goes to standard error.
func (f *factory) logger() *slog.Logger { return slog.New(slog.NewTextHandler(f.console.Err, nil)) }
