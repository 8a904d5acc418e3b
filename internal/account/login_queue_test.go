package account

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"foretell/internal/api"
)

// TestConcurrentLogins checks that concurrent log-ins with the correct password from one address all
// succeed, although there are more of them than may fail.
func TestConcurrentLogins(t *testing.T) {
	t.Parallel()
	for name, newDatabase := range newDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			location := newDatabase(t)
			a, _ := openService(t, location, newClock())
			if err := a.AddUser(t.Context(), api.NewAccount{Email: testEmail}, testPassword); err != nil {
				t.Fatal(err)
			}
			ctx := WithCaller(t.Context(), Caller{RemoteAddress: "192.0.2.1"})
			var all sync.WaitGroup
			for range 5 * loginAddressBurst {
				all.Go(func() {
					if _, err := a.LogIn(ctx, logInInput("")); err != nil {
						t.Errorf("a correct login: %v", err)
					}
				})
			}
			all.Wait()
		})
	}
}

// TestLoginQueue checks that one log-in from an address runs at a time, that a full queue refuses
// log-ins from its address only, and that a log-in stops waiting when its request ends.
func TestLoginQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newLoginQueue()
		leave, err := q.enter(t.Context(), "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan error, maxQueuedLogins)
		for range maxQueuedLogins - 1 {
			go func() {
				_, err := q.enter(ctx, "192.0.2.1")
				stopped <- err
			}()
		}
		synctest.Wait()
		if _, err := q.enter(t.Context(), "192.0.2.1"); api.CodeFromError(err) != api.CodeTooMany {
			t.Errorf("a log-in beyond a full queue: %v", err)
		}
		leaveOther, err := q.enter(t.Context(), "192.0.2.2")
		if err != nil {
			t.Fatalf("a log-in from another address: %v", err)
		}
		leaveOther()
		cancel()
		for range maxQueuedLogins - 1 {
			if err := <-stopped; !errors.Is(err, context.Canceled) {
				t.Errorf("a log-in whose request ended: %v", err)
			}
		}
		entered := make(chan func())
		go func() {
			leave, err := q.enter(t.Context(), "192.0.2.1")
			if err != nil {
				t.Error(err)
			}
			entered <- leave
		}()
		synctest.Wait()
		select {
		case <-entered:
			t.Fatal("two log-ins from one address ran at a time")
		default:
		}
		leave()
		(<-entered)()
		if len(q.queues) != 0 {
			t.Errorf("%d queues remain", len(q.queues))
		}
	})
}
