package turn

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestSharedCalls checks that a function continues when its callers leave, that later callers with
// the same key share its result, and that a function with another key does not wait for it.
func TestSharedCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSharedCalls[int]()
		defer s.Close()
		calls := 0
		slow := func(ctx context.Context) (int, error) {
			calls++
			select {
			case <-time.After(5 * time.Second):
				return calls, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		for range 3 {
			limited, cancel := context.WithTimeout(t.Context(), time.Second)
			if n, err := s.Do(limited, "a", slow); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a caller that leaves got %d, %v", n, err)
			}
			cancel()
		}
		if n, err := s.Do(t.Context(), "b", func(context.Context) (int, error) { return 42, nil }); n != 42 || err != nil {
			t.Errorf("the call with another key returned %d, %v", n, err)
		}
		if n, err := s.Do(t.Context(), "a", slow); n != 1 || err != nil {
			t.Errorf("the last caller got %d, %v: want the result of the first call", n, err)
		}
		if n, err := s.Do(t.Context(), "a", slow); n != 2 || err != nil {
			t.Errorf("after the end of the first call, a caller got %d, %v", n, err)
		}
	})
}

// TestSharedCallsClose checks that Close ends the running functions and waits for them.
func TestSharedCallsClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSharedCalls[int]()
		left, leave := context.WithCancel(t.Context())
		leave()
		returned := false
		_, _ = s.Do(left, "a", func(ctx context.Context) (int, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // of the bubble's clock
			returned = true
			return 0, ctx.Err()
		})
		synctest.Wait()
		s.Close()
		if !returned {
			t.Error("Close did not wait for the function")
		}
	})
}

// TestSharedCallsPanic checks that a panic of the function reaches its caller, and that the key is
// free afterwards.
func TestSharedCallsPanic(t *testing.T) {
	t.Parallel()
	s := NewSharedCalls[int]()
	defer s.Close()
	func() {
		defer func() {
			if reason := fmt.Sprint(recover()); reason != "broken" {
				t.Errorf("recovered %s", reason)
			}
		}()
		_, _ = s.Do(t.Context(), "a", func(context.Context) (int, error) { panic("broken") })
	}()
	if n, err := s.Do(t.Context(), "a", func(context.Context) (int, error) { return 1, nil }); n != 1 || err != nil {
		t.Errorf("the next call returned %d, %v", n, err)
	}
}
