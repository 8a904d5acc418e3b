package app

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/blob"
)

// Ready returns nil if the service can handle requests. Otherwise it returns a *api.Problem with
// CodeNotReady.
func (a *App) Ready(ctx context.Context) error {
	if err := a.store.Ping(ctx); err != nil {
		return api.NewProblem(api.CodeNotReady, "the database does not respond").WithCause(err)
	}
	if a.isDiskFull() {
		return api.NewProblem(api.CodeNotReady, "the disk of the data folder is full")
	}
	return nil
}

// isDiskFull reports whether the disk of the data folder is so full that no file can be written.
func (a *App) isDiskFull() bool { return a.tempDir != "" && blob.IsDiskFull(a.tempDir) }

// DiskSpace returns the free and the total bytes of the disk with the folder for temporary
// files. The data folder is on the same disk.
func (a *App) DiskSpace() (free, total uint64, err error) { return blob.DiskSpace(a.tempDir) }
