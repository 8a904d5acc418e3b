package store

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/internal/testenv"
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

// BenchmarkClaim measures one job, from InsertJob to FinishJob, while another account has a queue of
// many jobs.
// TestClaimBesideOtherKinds checks that a claim on PostgreSQL does not read the jobs of other kinds. An
// account has many of them, and jobs of the claimed kind belong only to accounts after it.
func TestClaimBesideOtherKinds(t *testing.T) {
	s, err := Open(t.Context(), testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	write(t, s, func(tx *Tx) error {
		err := errors.Join(tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann"}), tx.InsertAccount(t.Context(), &Account{Key: "bob", Email: "bob"}))
		for account, kind := range map[string]string{"ann": "other", "bob": "kind"} {
			err = errors.Join(err, tx.exec(t.Context(), `INSERT INTO job (key, account, kind, subject, created) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
				SELECT ? || i, ?, ?, ? || i, i FROM n`, account, account, kind, account))
		}
		return errors.Join(err, tx.exec(t.Context(), "ANALYZE job"))
	})
	claim, args := (&JobClaim{Kind: "kind"}).sql()
	if plan := planOf(t, s, claim, args...); strings.Contains(plan, "job_account") || !strings.Contains(plan, "job_next") {
		t.Errorf("the plan of a claim is:\n%s", plan)
	}
}

func BenchmarkClaim(b *testing.B) {
	benchmarkClaims(b, "SQLite", func(b *testing.B) string { b.Helper(); return filepath.Join(b.TempDir(), "rows.db") })
	benchmarkClaims(b, "PostgreSQL", func(b *testing.B) string { b.Helper(); return testenv.Postgres(b) })
}

func benchmarkClaims(b *testing.B, database string, location func(b *testing.B) string) {
	b.Helper()
	for _, queued := range []int{1, 50_000} {
		b.Run(fmt.Sprintf("%s/queued=%d", database, queued), func(b *testing.B) {
			ctx := b.Context()
			s, err := Open(ctx, location(b))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			err = s.Write(ctx, func(tx *Tx) error {
				return errors.Join(tx.InsertAccount(ctx, &Account{Key: "ann", Email: "ann"}), tx.InsertAccount(ctx, &Account{Key: "bob", Email: "bob"}),
					tx.exec(ctx, `INSERT INTO job (key, account, kind, subject, created) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
						SELECT 'j' || i, 'bob', 'kind', 's' || i, i FROM n`, queued))
			})
			if err != nil {
				b.Fatal(err)
			}
			i := 0
			for b.Loop() {
				key := fmt.Sprint("new ", i)
				i++
				err := s.Write(ctx, func(tx *Tx) error {
					return tx.InsertJob(ctx, &Job{Key: key, Account: "ann", Kind: "kind", Subject: key, Created: at(i)})
				})
				if err != nil {
					b.Fatal(err)
				}
				j, err := s.ClaimJob(ctx, JobClaim{Kind: "kind", MaxMemory: 1, Now: at(i), Until: at(i + 9)})
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Write(ctx, func(tx *Tx) error { return tx.FinishJob(ctx, j.Key, s.ProcessName()) }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
