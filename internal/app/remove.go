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
		return inTheWay(nounNames[noun], key, busy)
	})
	if err != nil {
		return nil, missing(err, nounNames[noun], key)
	}
	a.discard(ctx, blobs...)
	return &api.None{}, nil
}

// inTheWay tells why a thing cannot be deleted now, and what helps.
func inTheWay(noun, key string, busy *store.Activity) error {
	what := busy.Noun + " " + busy.Key
	if busy.Key == key {
		what = "it"
	}
	remedy := "wait for its end"
	if busy.Noun == nounNames["training"] {
		remedy = "cancel the training job or wait for its end"
	}
	return api.NewProblem(api.CodeWrongState, "%s %s cannot be deleted while %s is %s: %s, then delete again",
		noun, key, what, busy.Status, remedy)
}

// nounNames are the store's nouns as users know them.
var nounNames = map[string]string{
	"dataset": "dataset", "training": "training job", "model": "model", "prediction": "prediction",
}
