package quota

import (
	"context"
	"math"
	"sync"

	"foretell/internal/api"
	"foretell/internal/store"
)

// Uploads counts, for each account, the bytes that its uploads in progress in this process have
// written. The database counts these bytes only when an upload has ended, so concurrent uploads
// could otherwise write a multiple of the quota. It is safe for concurrent use.
type Uploads struct {
	mu      sync.Mutex
	written map[string]int64 // only of accounts with uploads that have written bytes
}

// NewUploads returns Uploads that count no upload yet.
func NewUploads() *Uploads { return &Uploads{written: map[string]int64{}} }

// Upload is one upload in progress.
type Upload struct {
	all     *Uploads
	account string
	// left is how many bytes the quota of the account allowed when the upload began.
	left int64
	// bytes is how many bytes the upload has counted with Grow.
	bytes int64
}

// Begin returns an upload that has written nothing. size is the declared size of the body in bytes,
// or -1 if it is unknown. If size exceeds the rest of the quota, Begin returns a *api.Problem with
// CodeQuota. Call Begin before the body is read, and [Upload.End] when the upload has ended.
func (u *Uploads) Begin(ctx context.Context, t *store.Tx, account string, size int64) (*Upload, error) {
	begun := &Upload{all: u, account: account, left: math.MaxInt64}
	if err := Check(ctx, t, account, store.Usage{Bytes: max(size, 1)}); err != nil {
		return nil, err
	}
	owner, err := t.GetAccountByKey(ctx, account)
	if err != nil || owner.Quota.Bytes == nil {
		return begun, err
	}
	used, err := t.GetUsage(ctx, account)
	if err != nil {
		return nil, err
	}
	begun.left = *owner.Quota.Bytes - used.Bytes
	return begun, nil
}

// Grow adds n bytes that the upload will write. If the bytes of all uploads of the account would
// exceed the quota, it adds nothing and returns a *api.Problem with CodeQuota.
func (u *Upload) Grow(n int64) error {
	u.all.mu.Lock()
	defer u.all.mu.Unlock()
	written := u.all.written[u.account]
	if n > u.left-written {
		const remedy = "delete datasets, models or predictions, or ask an administrator for a larger quota"
		if others := written - u.bytes; others > 0 {
			return api.NewProblem(api.CodeQuota, "the file was not stored, because it exceeds the %d bytes that are left of the account's quota; other uploads in progress have taken %d bytes: "+
				"upload one file after the other, %s", u.left-others, others, remedy)
		}
		return api.NewProblem(api.CodeQuota, "the file was not stored, because it exceeds the %d bytes that are left of the account's quota: %s", u.left, remedy)
	}
	u.all.written[u.account] = written + n
	u.bytes += n
	return nil
}

// End removes the bytes of the upload from the count of its account.
func (u *Upload) End() {
	u.all.mu.Lock()
	defer u.all.mu.Unlock()
	if u.all.written[u.account] -= u.bytes; u.all.written[u.account] == 0 {
		delete(u.all.written, u.account)
	}
	u.bytes = 0
}
