package blob

import (
	"sync"
	"time"
)

const (
	// verifiedAge is how long Verified remembers a blob.
	verifiedAge = time.Minute
	// maxVerified is the maximum number of blobs that Verified remembers.
	maxVerified = 1000
)

// Verified remembers which blobs were verified in the last minute, by key. The zero value remembers
// none. It is safe for concurrent use.
type Verified struct {
	mu sync.Mutex
	at map[string]time.Time
}

// Add remembers that the blob was verified at the time now.
func (v *Verified) Add(key string, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.at) >= maxVerified || v.at == nil { // a forgotten blob is verified again
		v.at = map[string]time.Time{}
	}
	v.at[key] = now
}

// Has reports whether the blob was verified less than a minute before now.
func (v *Verified) Has(key string, now time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	at, ok := v.at[key]
	return ok && now.Sub(at) >= 0 && now.Sub(at) < verifiedAge
}
