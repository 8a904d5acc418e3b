package app

import (
	"context"
	"errors"

	"foretell/internal/api"
	"foretell/internal/store"
)

// remove deletes a thing of the caller's and then its files. The noun is that
// of the store's trees.
func (a *App) remove(ctx context.Context, noun, key string,
	del func(t *store.Tx, ctx context.Context, account, key string) ([]string, error),
) (*api.None, error) {
	var blobs []string
	err := a.store.Write(ctx, func(t *store.Tx) (err error) {
		blobs, err = del(t, ctx, caller(ctx).Account, key)
		if !errors.Is(err, store.ErrState) {
			return err
		}
		busy, err := t.Busy(ctx, noun, key)
		if err != nil {
			return err
		}
		return api.NewProblem(api.CodeWrongState, "%s; wait for its end, or cancel it if it is a training job", busy)
	})
	if err != nil {
		return nil, missing(err, nounNames[noun], key)
	}
	a.discard(ctx, blobs...)
	return &api.None{}, nil
}

// nounNames are the store's nouns as users know them.
var nounNames = map[string]string{
	"dataset": "dataset", "training": "training job", "model": "model", "prediction": "prediction",
}
