package blob

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestObserve checks the calls that an observer receives.
func TestObserve(t *testing.T) {
	onEachBackend(t, func(t *testing.T, place testStore) {
		t.Helper()
		s := place.open(t, "a")
		var calls []string
		now := time.Unix(0, 0)
		s.Observe(func() time.Time {
			now = now.Add(time.Second) // a second passes between any two readings of the clock
			return now
		}, func(c BackendCall) {
			text := c.Operation
			if c.Bytes != 0 {
				text += " bytes"
			}
			if c.Elapsed == 0 {
				text += " not measured"
			}
			if c.Err != nil {
				text += " error"
			}
			calls = append(calls, text)
		})
		info, err := put(t, s, strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		wantContent(t, s, info.Key, "hello")
		aborted, err := s.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		aborted.Abort()
		aborted.Abort()
		if err := s.Delete(t.Context(), info.Key); err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(t.Context(), info.Key); err != nil { // again
			t.Fatal(err)
		}
		if r, err := s.Open(t.Context(), info.Key); err == nil { // the error may come only with the first read
			if _, err := r.Read(make([]byte, 1)); err == nil {
				t.Error("a deleted blob can be read")
			}
			_ = r.Close()
		}
		if want := []string{"write bytes", "read bytes", "write", "delete", "delete", "read error"}; !slices.Equal(calls, want) {
			t.Errorf("%q, want %q", calls, want)
		}
	})
}
