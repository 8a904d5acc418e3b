// Package quota checks the quotas of accounts: before a change is stored, and while a file is
// uploaded.
package quota

import (
	"context"
	"fmt"

	"foretell/internal/api"
	"foretell/internal/store"
)

// Check returns a *api.Problem with CodeQuota if the usage of the account plus added exceeds one of
// the limits of the account. It is not called for the models and results of jobs: a job that was
// accepted always stores its result.
func Check(ctx context.Context, t *store.Tx, account string, added store.Usage) error {
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
		{owner.Quota.Bytes, used.Bytes, added.Bytes, "stored bytes", "delete datasets, models or predictions"},
		{owner.Quota.Races, used.Races, added.Races, "running and waiting races", "wait for a race to end or cancel one"},
	} {
		if limit.limit != nil && limit.added > 0 && limit.added > *limit.limit-limit.used {
			needed := ""
			if limit.added > 1 { // 1 is one dataset or race, or bytes whose number is not known yet
				needed = fmt.Sprintf(", needed by this request: %d", limit.added)
			}
			return api.NewProblem(api.CodeQuota, api.QuotaPrefix+"%s is %d (used: %d%s): %s, or ask an administrator for a larger quota",
				limit.of, *limit.limit, limit.used, needed, limit.remedy)
		}
	}
	return nil
}
