// Package quota checks the quotas of accounts: before a change is stored, and while a file is
// uploaded.
package quota

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"foretell/internal/api"
	"foretell/internal/store"
)

// maxExcess is the number of bytes by which the result of a prediction may exceed the quota. It is the
// maximum size of a blind CSV, because the result repeats the blind CSV.
const maxExcess = api.MaxUploadBytes

// MaxResultBytes returns the maximum size of the result of a prediction whose blind CSV has the given
// number of bytes. The blind CSV is among the stored bytes of the account, but is deleted when the
// prediction ends.
func MaxResultBytes(ctx context.Context, t *store.Tx, account string, blind int64) (int64, error) {
	owner, err := t.GetAccountByKey(ctx, account)
	if err != nil || owner.Quota.Bytes == nil || *owner.Quota.Bytes > math.MaxInt64-maxExcess {
		return math.MaxInt64, err
	}
	used, err := t.GetUsage(ctx, account)
	return *owner.Quota.Bytes + maxExcess - (used.Bytes - blind), err
}

// ErrResultTooLarge is the error of a result that is larger than MaxResultBytes.
var ErrResultTooLarge = errors.New(api.QuotaPrefix + "stored bytes does not have enough space for the result: predict fewer rows, delete datasets, models or predictions, or ask an administrator for a larger quota")

// NewResultWriter returns a writer that writes at most the given number of bytes to out, and returns
// ErrResultTooLarge for more.
func NewResultWriter(out io.Writer, limit int64) io.Writer { return &resultWriter{out, limit} }

type resultWriter struct {
	out  io.Writer
	left int64
}

// Write writes all of b or nothing.
func (w *resultWriter) Write(b []byte) (int, error) {
	if w.left -= int64(len(b)); w.left < 0 {
		return 0, ErrResultTooLarge
	}
	return w.out.Write(b)
}

// Check returns a *api.Problem with CodeQuota if the usage of the account plus added exceeds one of
// the limits of the account. It is not called for the models and results of jobs: a race that was
// accepted always stores its model, and the result of a prediction may exceed the quota; see
// [MaxResultBytes].
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
