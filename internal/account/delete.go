package account

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/store"
)

// DeleteAccount deletes an account and all its data. Its running jobs stop: at
// once in this process, and at the next heartbeat in other processes.
func (a *Accounts) DeleteAccount(ctx context.Context, in *api.AccountInput) (*api.None, error) {
	var account *store.Account
	lookUp := func(t *store.Tx) (err error) {
		account, err = exceptLocal(lookUpByKey(in.AccountKey))(ctx, t)
		return err
	}
	record := func(t *store.Tx) error { return a.RecordAuditEvent(ctx, t, "account.delete", account.Email) }
	err := a.store.Read(ctx, func(t *store.Tx) error {
		if err := lookUp(t); err != nil {
			return err
		}
		return a.checkAdministrators(ctx, t, account, 2)
	})
	if err == nil {
		err = a.deletePredictions(ctx, account.Key, record)
	}
	if err != nil {
		return nil, a.toProblem(err)
	}
	var blobs []string
	err = a.store.Write(ctx, func(t *store.Tx) (err error) {
		if err := lookUp(t); err != nil {
			return err
		}
		if blobs, err = t.DeleteAccount(ctx, account.Key); err != nil {
			return err
		}
		if err := a.checkAdministratorRemains(ctx, t, account); err != nil {
			return err
		}
		if err := t.DeleteAccessRequestsOf(ctx, account.Email); err != nil {
			return err
		}
		return record(t)
	})
	if err != nil {
		return nil, a.toProblem(err)
	}
	a.onDeleted(ctx, in.AccountKey, blobs)
	return &api.None{}, nil
}
