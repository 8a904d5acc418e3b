package store

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// claimOrder compares claims from random queues with the rule of [Store.ClaimJob], applied to a list
// of all jobs. Many jobs were queued at the same time, and many accounts were never served.
func (s suite) claimOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	accounts := []string{"ann", "bob", "cy", "dee", "eve"}
	for range 10 {
		served := map[string]int{}
		var queue []*Job
		disabled := accounts[random.IntN(len(accounts))]
		write(t, s.Store, func(tx *Tx) error {
			err := errors.Join(tx.exec(t.Context(), "DELETE FROM job"), tx.exec(t.Context(), "DELETE FROM account"))
			for _, account := range accounts {
				err = errors.Join(err, tx.InsertAccount(t.Context(), &Account{Key: account, Email: account}))
			}
			queue = nil
			for i := range 25 {
				key := fmt.Sprint(random.IntN(1000), " ", i)
				j := &Job{Key: key, Account: accounts[random.IntN(4)], Kind: []string{"kind", "kind", "other"}[random.IntN(3)], Subject: "of " + key, Memory: random.Int64N(4), Created: at(random.IntN(5))}
				queue, err = append(queue, j), errors.Join(err, tx.InsertJob(t.Context(), j))
			}
			return errors.Join(err, tx.UpdateDisabled(t.Context(), disabled, true, at(5)))
		})
		for range 20 {
			c := JobClaim{Kind: "kind", MaxMemory: random.Int64N(5), FreeMemory: 9, Now: at(6), Until: at(7)}
			if random.IntN(3) == 0 {
				c.ExcludeAccounts = []string{"ann", "cy"}
			}
			if random.IntN(3) == 0 {
				c.Running = []string{queue[0].Key, queue[len(queue)-1].Key}
			}
			if random.IntN(3) == 0 {
				c.Subjects = []string{queue[0].Subject, queue[len(queue)/2].Subject}
			}
			i := nextOf(queue, c, served, disabled)
			j, err := s.ClaimJob(t.Context(), c)
			if i < 0 {
				wantErr(t, err, ErrNotFound)
				continue
			}
			if err != nil || j.Key != queue[i].Key {
				t.Fatalf("%+v claimed %+v, %v; want %+v", c, j, err, queue[i])
			}
			served[j.Account] = 1 + slices.Max(append([]int{0}, servedOf(queue, served)...))
			queue = slices.Delete(queue, i, i+1)
			write(t, s.Store, func(tx *Tx) error { return tx.FinishJob(t.Context(), j.Key, s.ProcessName()) })
			if len(queue) == 0 {
				break
			}
		}
	}
}

// nextOf returns the index of the job of the queue that c claims, or -1. served are the turns of the
// accounts.
func nextOf(queue []*Job, c JobClaim, served map[string]int, disabled string) int {
	next := -1
	for i, j := range queue {
		if j.Kind != c.Kind || j.Account == disabled || slices.Contains(c.ExcludeAccounts, j.Account) || slices.Contains(c.Running, j.Key) ||
			c.Subjects != nil && !slices.Contains(c.Subjects, j.Subject) || c.MaxMemory > 0 && j.Memory > c.MaxMemory {
			continue
		}
		if next < 0 || cmp.Or(cmp.Compare(served[j.Account], served[queue[next].Account]), j.Created.Compare(queue[next].Created), cmp.Compare(j.Key, queue[next].Key)) < 0 {
			next = i
		}
	}
	return next
}

// servedOf returns the turns of the accounts with jobs.
func servedOf(queue []*Job, served map[string]int) (turns []int) {
	for _, j := range queue {
		turns = append(turns, served[j.Account])
	}
	return turns
}

// claimBesideDeletion checks that a claim skips the jobs that another transaction is deleting. With
// SQLite, where only one transaction at a time writes, there is no such transaction.
func (s suite) claimBesideDeletion(t *testing.T) {
	if !s.IsOnServer() {
		return
	}
	write(t, s.Store, func(tx *Tx) error {
		var err error
		for i, key := range []string{"ann 1", "ann 2", "bob 1", "bob 2"} {
			account := key[:3]
			if key[4] == '1' {
				err = errors.Join(err, tx.InsertAccount(t.Context(), &Account{Key: account, Email: account}))
			}
			err = errors.Join(err, tx.InsertJob(t.Context(), &Job{Key: key, Account: account, Kind: "kind", Subject: key, Created: at(i)}))
		}
		return err
	})
	for _, c := range []struct{ deleted, want string }{{"account = 'ann'", "bob 1"}, {"key = 'ann 1'", "ann 2"}} {
		kept := errors.New("kept")
		err := s.Write(t.Context(), func(tx *Tx) error {
			if err := tx.exec(t.Context(), "DELETE FROM job WHERE "+c.deleted); err != nil {
				return err
			}
			if j, err := s.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(9)}); err != nil || j.Key != c.want {
				t.Errorf("while the jobs with %s are deleted, %+v was claimed, %v; want %s", c.deleted, j, err, c.want)
			}
			return kept
		})
		wantErr(t, err, kept)
	}
}
