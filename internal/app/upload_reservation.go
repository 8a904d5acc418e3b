package app

import (
	"sync"

	"foretell/internal/api"
)

// uploadReservations has the bytes that uploads in progress in this process have written, by
// account. The database does not count them. Without them, concurrent uploads could together write
// a multiple of the quota before all but one are refused. It is safe for concurrent use.
type uploadReservations struct {
	mu      sync.Mutex
	written map[string]int64 // only of accounts with uploads that have written bytes
}

func newUploadReservations() *uploadReservations {
	return &uploadReservations{written: map[string]int64{}}
}

// uploadReservation has the bytes of one upload.
type uploadReservation struct {
	all     *uploadReservations
	account string
	// quotaLeft is how many bytes the quota of the account allowed when the upload began.
	quotaLeft int64
	bytes     int64
}

// begin returns the reservation of an upload that has written nothing. The caller must call
// release when the upload has ended.
func (u *uploadReservations) begin(account string, quotaLeft int64) *uploadReservation {
	return &uploadReservation{all: u, account: account, quotaLeft: quotaLeft}
}

// grow adds n bytes, which the upload will write. It returns a *api.Problem with CodeQuota, and adds
// nothing, if the bytes of all uploads of the account would exceed quotaLeft.
func (r *uploadReservation) grow(n int64) error {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	written := r.all.written[r.account]
	if n > r.quotaLeft-written {
		const remedy = "delete datasets, models or predictions, or ask an administrator for a larger quota"
		if others := written - r.bytes; others > 0 {
			return api.NewProblem(api.CodeQuota, "the file was not stored, because it exceeds the %d bytes that are left of the account's quota; other uploads in progress have taken %d bytes: "+
				"upload one file after the other, %s", r.quotaLeft-others, others, remedy)
		}
		return api.NewProblem(api.CodeQuota, "the file was not stored, because it exceeds the %d bytes that are left of the account's quota: %s", r.quotaLeft, remedy)
	}
	r.all.written[r.account] = written + n
	r.bytes += n
	return nil
}

// release removes the bytes of the upload.
func (r *uploadReservation) release() {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	if r.all.written[r.account] -= r.bytes; r.all.written[r.account] == 0 {
		delete(r.all.written, r.account)
	}
	r.bytes = 0
}
