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
)

// house is the whole service on one data folder.
type house struct {
	app   *app.App
	store *store.Store
	log   *slog.Logger
	now   func() time.Time
	dir   string
}

// openHouse opens the data folder, or makes it. Several processes may have it
// open at once.
func openHouse(ctx context.Context, dir string, h *host) (*house, error) {
	log := slog.New(slog.DiscardHandler)
	if h.env(envDebug) != "" {
		log = h.logger()
	}
	return openLogged(ctx, dir, h, log)
}

// openStaying is openHouse for a command that runs until it is stopped: on the
// folder that its flags name, with a log unless it is to be quiet.
func openStaying(ctx context.Context, h *host, cmd *cobra.Command, quiet bool) (*house, error) {
	s, err := h.settings(cmd.Flags())
	if err != nil {
		return nil, err
	}
	dir, err := h.dataDir(s)
	if err != nil {
		return nil, err
	}
	log := h.logger()
	if quiet {
		log = slog.New(slog.DiscardHandler)
	}
	return openLogged(ctx, dir, h, log)
}

// openLogged is openHouse with a log.
func openLogged(ctx context.Context, dir string, h *host, log *slog.Logger) (*house, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unusable(dir, err)
	}
	rows, err := store.Open(ctx, filepath.Join(dir, "foretell.db"))
	if err != nil {
		return nil, unusable(dir, err)
	}
	bytes, err := blob.Open(filepath.Join(dir, "blobs"), rows.Process())
	if err != nil {
		return nil, errors.Join(unusable(dir, err), rows.Close())
	}
	a, err := app.New(app.Config{Store: rows, Blobs: bytes, Scratch: dir, Now: h.now, Rand: rand.Reader, Log: log})
	if err != nil {
		return nil, errors.Join(unusable(dir, err), rows.Close())
	}
	return &house{app: a, store: rows, log: log, now: h.now, dir: dir}, nil
}

func unusable(dir string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err // the folder is not to blame
	}
	return fail(ExitUnexpected, "the data folder %s cannot be used: %w", dir, err).
		advise("name another folder with --data-dir or %s", envDataDir)
}

// handler serves the API.
func (s *house) handler(publicURL string) http.Handler {
	return server.New(s.app, server.Options{Log: s.log, Now: s.now, PublicURL: publicURL, Version: currentBuild().Version})
}

// work runs jobs until the function that it gives is called, which returns
// when all of them have stopped.
func (s *house) work() func() error {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.app.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

func (s *house) close() error { return s.store.Close() }

// logger writes the service's log to standard error.
func (h *host) logger() *slog.Logger { return slog.New(slog.NewTextHandler(h.console.Err, nil)) }
