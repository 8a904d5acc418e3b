package app

import (
	"context"
	"math"

	"foretell/internal/api"
	"foretell/internal/store"
)

// checkQuota returns a *api.Problem with CodeQuota if the sum of added and the usage of the account
// exceeds one of the limits of the account. The models and results of jobs count towards the usage,
// but a job that was accepted always stores its model or result.
func (a *App) checkQuota(ctx context.Context, t *store.Tx, account string, added store.Usage) error {
	owner, err := t.GetAccountByKey(ctx, account)
	if err != nil || owner.Quota == (store.Quota{}) {
		return err
	}
	used, err := t.GetUsage(ctx, account)
	if err != nil {
		return err
	}
	for _, limit := range []struct {
		limit       *int64
		used, added int64
		of, remedy  string
	}{
		{owner.Quota.Datasets, used.Datasets, added.Datasets, "datasets", "delete datasets"},
		{owner.Quota.Bytes, used.Bytes, added.Bytes, "bytes of stored files", "delete datasets, models or predictions"},
		{owner.Quota.Races, used.Races, added.Races, "races that run or wait", "wait for a race to end or cancel one"},
	} {
		if limit.limit != nil && limit.added > 0 && limit.added > *limit.limit-limit.used {
			return api.NewProblem(api.CodeQuota, "the quota of the account for %s is %d (used: %d, needed by this request: %d): %s, or ask an administrator for a larger quota",
				limit.of, *limit.limit, limit.used, limit.added, limit.remedy)
		}
	}
	return nil
}

// checkUploadQuota returns how many more bytes the quota of the caller's account allows. It is
// called before the body of an upload is read. size is the declared size of the body in
// bytes, or -1 if it is unknown. A size that exceeds the quota is a problem with
// CodeQuota.
func (a *App) checkUploadQuota(ctx context.Context, size int64) (left int64, err error) {
	left = math.MaxInt64
	err = a.store.Read(ctx, func(t *store.Tx) error {
		account := callerFromContext(ctx).Account
		if err := a.checkQuota(ctx, t, account, store.Usage{Bytes: max(size, 1)}); err != nil {
			return err
		}
		owner, err := t.GetAccountByKey(ctx, account)
		if err != nil || owner.Quota.Bytes == nil {
			return err
		}
		used, err := t.GetUsage(ctx, account)
		left = *owner.Quota.Bytes - used.Bytes
		return err
	})
	return left, a.problems.Convert(err)
}
