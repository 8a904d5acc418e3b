package blob

import (
	"sync"
	"time"
)

const (
	// verifiedLifetime is the time after which a blob must be verified again.
	verifiedLifetime = time.Minute
	// maxVerifiedKeys is the maximum number of keys in RecentlyVerified.
	maxVerifiedKeys = 1000
)

// RecentlyVerified is the set of blobs whose checksums were verified in the last minute, by
// key. The zero value is empty and ready to use. It is safe for concurrent use.
type RecentlyVerified struct {
	mu sync.Mutex
	// at holds the time of the last verification of each blob.
	at map[string]time.Time
}

// Add records that the blob with this key was verified at the time now.
func (v *RecentlyVerified) Add(key string, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.at) >= maxVerifiedKeys || v.at == nil { // the blobs that are removed here must be verified again
		v.at = map[string]time.Time{}
	}
	v.at[key] = now
}

// Has reports whether the blob with this key was verified less than a minute before now.
func (v *RecentlyVerified) Has(key string, now time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	at, ok := v.at[key]
	return ok && now.Sub(at) >= 0 && now.Sub(at) < verifiedLifetime
}
