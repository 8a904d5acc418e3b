package app

import (
	"context"

	"foretell/internal/api"
)

// HoldDrifts delays the measurement of all drifts until release is called.
func (a *App) HoldDrifts() (release func()) {
	held, released := make(chan struct{}), make(chan struct{})
	go func() {
		_ = a.driftSemaphore.Do(context.Background(), "held", func() error { // the error is nil
			close(held)
			<-released
			return nil
		})
	}()
	<-held
	return func() { close(released) }
}

// StoredDrift returns the stored drift of a prediction, or nil if none is stored.
func (a *App) StoredDrift(ctx context.Context, key string) (*api.DriftReport, error) {
	_, report, err := a.readStoredDrift(ctx, key)
	return report, err
}
