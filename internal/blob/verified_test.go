package blob

import (
	"strconv"
	"testing"
	"time"
)

// TestRecentlyVerified checks that a blob is remembered for a minute, and that the memory is bounded.
func TestRecentlyVerified(t *testing.T) {
	t.Parallel()
	var v RecentlyVerified
	now := time.Unix(1e9, 0)
	if v.Has("a", now) {
		t.Error("a blob was never verified")
	}
	v.Add("a", now)
	for after, want := range map[time.Duration]bool{-time.Second: false, 0: true, verifiedLifetime - 1: true, verifiedLifetime: false} {
		if got := v.Has("a", now.Add(after)); got != want {
			t.Errorf("after %s it is %v", after, got)
		}
	}
	for i := range 2 * maxVerifiedKeys {
		v.Add(strconv.Itoa(i), now)
	}
	if len(v.at) > maxVerifiedKeys {
		t.Errorf("%d blobs are remembered", len(v.at))
	}
}
