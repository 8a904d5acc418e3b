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
		for {
			blobs, err = del(t, ctx, caller(ctx).Account, key)
			if !errors.Is(err, store.ErrState) {
				return err
			}
			busy, err := t.Busy(ctx, noun, key)
			if err != nil {
				return err
			}
			if dropped, err := a.drop(ctx, t, busy); err != nil {
				return err
			} else if !dropped {
				return inTheWay(nounNames[noun], key, busy)
			}
		}
	})
	if err != nil {
		return nil, a.missing(err, nounNames[noun], key)
	}
	a.pool.Drop(key)
	a.discard(ctx, blobs...)
	return &api.None{}, nil
}

// drop gives up a race or prediction that keeps something from being deleted, if no
// process works on it and none will unasked. It reports whether it did: what a
// process works on is for the caller to cancel or to wait for.
func (a *App) drop(ctx context.Context, t *store.Tx, busy *store.Activity) (bool, error) {
	s, err := a.standing(ctx, t, busy.Key)
	if err != nil || !s.interrupted {
		return false, err
	}
	if busy.Noun == nounNames["training"] {
		race, err := t.GetTraining(ctx, caller(ctx).Account, busy.Key)
		if err != nil {
			return false, err
		}
		return true, a.cancelPending(ctx, t, race)
	}
	p, err := t.GetPrediction(ctx, caller(ctx).Account, busy.Key)
	if err != nil {
		return false, err
	}
	from := p.Status
	p.Status, p.Reason, p.Updated = api.PredictionFailed, "deleted before it was made", a.now()
	return true, t.UpdatePrediction(ctx, p, from)
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
