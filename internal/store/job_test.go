package store

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func (s suite) jobs(t *testing.T) {
	queue := func(account string, second int, subjects ...string) {
		t.Helper()
		write(t, s.Store, func(tx *Tx) error {
			var errs []error
			for _, subject := range subjects {
				errs = append(errs, tx.InsertJob(t.Context(), &Job{
					Key: "job " + subject, Account: account, Kind: "kind", Subject: subject, Created: at(second),
				}))
			}
			return errors.Join(errs...)
		})
	}
	running := map[*Store][]string{} // keys
	claim := func(from *Store, now int) *Job {
		t.Helper()
		j, err := from.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(now + 10), Running: running[from]})
		if err != nil {
			t.Fatal(err)
		}
		running[from] = append(running[from], j.Key)
		return j
	}
	// expire makes the process from end the leases that no process has renewed.
	expire := func(from *Store, now int, running ...string) {
		t.Helper()
		for second := now; second <= now+10; second += 5 {
			if err := from.EndExpiredLeases(t.Context(), LeaseCheck{Now: at(second), Timeout: 10 * time.Second, Running: running}); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Run("accounts take turns, each from its oldest", func(t *testing.T) {
		queue("ann", 1, "1", "2", "3")
		queue("bob", 2, "4")
		var order []string
		for i := range 4 {
			order = append(order, claim(s.Store, 10+i).Subject)
		}
		if got := strings.Join(order, " "); got != "1 4 2 3" {
			t.Errorf("the order is %s", got)
		}
		_, err := s.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(20)})
		wantErr(t, err, ErrNotFound) // all are leased
	})
	t.Run("another account's only", func(t *testing.T) {
		queue("ann", 3, "6")
		claim := JobClaim{Kind: "kind", Until: at(30), ExcludeAccounts: []string{"ann"}, Running: running[s.Store]}
		_, err := s.ClaimJob(t.Context(), claim)
		wantErr(t, err, ErrNotFound)
		claim.ExcludeAccounts = []string{"bob"}
		j, err := s.ClaimJob(t.Context(), claim)
		if err != nil || j.Subject != "6" {
			t.Fatalf("claimed %+v, %v", j, err)
		}
		write(t, s.Store, func(tx *Tx) error { return tx.FinishJob(t.Context(), j.Key, s.ProcessName()) })
	})
	t.Run("a disabled account's lose their leases and wait", func(t *testing.T) {
		queue("ann", 3, "7")
		before := claim(s.Store, 20)
		write(t, s.Store, func(tx *Tx) error { return tx.UpdateDisabled(t.Context(), "ann", true, at(21)) })
		_, err := s.RenewJob(t.Context(), before.Key, at(40))
		wantErr(t, err, ErrLeaseLost)
		_, err = s.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(31), Running: running[s.Store]})
		wantErr(t, err, ErrNotFound)
		write(t, s.Store, func(tx *Tx) error { return tx.UpdateDisabled(t.Context(), "ann", false, at(21)) })
		running[s.Store] = []string{"job 4"} // its heartbeats have stopped ann's
		for range 4 {                        // all of ann's are free again
			j := claim(s.Store, 22)
			if j.Account != "ann" || j.Attempt != 1 {
				t.Errorf("claimed %+v", j)
			}
		}
		write(t, s.Store, func(tx *Tx) error { return tx.DeleteJob(t.Context(), "7") })
	})
	other := s.open(t)
	t.Run("a lease that ran out is another's", func(t *testing.T) {
		expire(other, 100)
		j := claim(other, 100)
		if j.Subject != "4" || j.Attempt != 2 {
			t.Errorf("claimed %+v", j)
		}
		_, err := s.RenewJob(t.Context(), j.Key, at(200))
		wantErr(t, err, ErrLeaseLost)
		wantErr(t, s.Write(t.Context(), func(tx *Tx) error { return tx.FinishJob(t.Context(), j.Key, s.ProcessName()) }), ErrLeaseLost)
		wantErr(t, s.Write(t.Context(), func(tx *Tx) error { return tx.CheckLease(t.Context(), j.Key, s.ProcessName()) }), ErrLeaseLost)
		if cancelled, err := other.RenewJob(t.Context(), j.Key, at(200)); cancelled || err != nil {
			t.Error(cancelled, err)
		}
	})
	t.Run("a job given back was never claimed", func(t *testing.T) {
		if err := other.ReleaseJob(t.Context(), "job 4", at(100)); err != nil {
			t.Fatal(err)
		}
		running[s.Store] = running[s.Store][1:] // its heartbeat has stopped job 4
		if j := claim(s.Store, 100); j.Subject != "4" || j.Attempt != 2 {
			t.Errorf("claimed %+v", j)
		}
	})
	t.Run("the jobs of a process that is gone are free", func(t *testing.T) {
		gone := s.open(t)
		write(t, s.Store, func(tx *Tx) error { return tx.exec(t.Context(), "DELETE FROM job") })
		queue("bob", 3, "5")
		claim(gone, 110)
		var ended []string
		check := LeaseCheck{Now: at(110), Timeout: 10 * time.Second, OnEnded: func(job, process string) { ended = append(ended, job+" of "+process) }}
		if err := s.EndExpiredLeases(t.Context(), check); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(120)}); !errors.Is(err, ErrNotFound) {
			t.Fatalf("a live process lost its job: %v", err)
		}
		name := gone.ProcessName()
		s.kill(t, gone)
		check.Now = at(115) // leaseCheckInterval after the last check
		if err := s.EndExpiredLeases(t.Context(), check); err != nil {
			t.Fatal(err)
		}
		if j := claim(s.Store, 112); j.Subject != "5" {
			t.Errorf("claimed %+v", j)
		}
		if want := []string{"job 5 of " + name}; !slices.Equal(ended, want) {
			t.Errorf("the ended leases are %q, want %q", ended, want)
		}
	})
	t.Run("a claim whose response was lost is made again", func(t *testing.T) {
		write(t, s.Store, func(tx *Tx) error { return tx.exec(t.Context(), "DELETE FROM job") })
		queue("bob", 3, "8")
		lost := JobClaim{Kind: "kind", Until: at(114)}
		for attempt := 1; attempt <= 2; attempt++ {
			j, err := s.ClaimJob(t.Context(), lost)
			if err != nil || j.Attempt != attempt {
				t.Fatalf("claimed %+v, %v", j, err)
			}
			expire(s.Store, 200*attempt, "job 8")
			_, err = other.ClaimJob(t.Context(), lost)
			wantErr(t, err, ErrNotFound) // as if this process ran it
			expire(s.Store, 200*attempt+100)
		}
		lost.Running = []string{"job 8"}
		_, err := s.ClaimJob(t.Context(), lost)
		wantErr(t, err, ErrNotFound)
	})
	t.Run("concurrent claims take turns", func(t *testing.T) {
		for range 10 {
			write(t, s.Store, func(tx *Tx) error { return tx.exec(t.Context(), "DELETE FROM job") })
			queue("ann", 4, "1", "2", "3")
			queue("bob", 5, "4")
			var accounts sync.Map
			var claims sync.WaitGroup
			for _, from := range []*Store{s.Store, other} {
				claims.Go(func() {
					j, err := from.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(400)})
					if err != nil {
						t.Error(err)
						return
					}
					if _, twice := accounts.LoadOrStore(j.Account, true); twice {
						t.Errorf("both claims took jobs of %s", j.Account)
					}
				})
			}
			claims.Wait()
		}
	})
	t.Run("a job that needs more memory than is free waits, and no other overtakes it", func(t *testing.T) {
		write(t, s.Store, func(tx *Tx) error {
			return errors.Join(tx.exec(t.Context(), "DELETE FROM job"),
				tx.InsertJob(t.Context(), &Job{Key: "huge", Account: "ann", Kind: "kind", Subject: "huge", Memory: 1 << 41, Created: at(1)}),
				tx.InsertJob(t.Context(), &Job{Key: "large", Account: "ann", Kind: "kind", Subject: "large", Memory: 1 << 40, Created: at(2)}),
				tx.InsertJob(t.Context(), &Job{Key: "small", Account: "ann", Kind: "kind", Subject: "small", Memory: 1, Created: at(3)}))
		})
		claim := JobClaim{Kind: "kind", Until: at(400), MaxMemory: 1 << 40, FreeMemory: 1<<40 - 1}
		_, err := s.ClaimJob(t.Context(), claim)
		wantErr(t, err, ErrNotFound)
		claim.FreeMemory++
		if j, err := other.ClaimJob(t.Context(), claim); err != nil || j.Key != "large" || j.Memory != 1<<40 { // huge is left to larger processes
			t.Errorf("claimed %+v, %v", j, err)
		}
		claim.FreeMemory = 1
		if j, err := s.ClaimJob(t.Context(), claim); err != nil || j.Key != "small" {
			t.Errorf("claimed %+v, %v", j, err)
		}
		_, err = s.ClaimJob(t.Context(), claim)
		wantErr(t, err, ErrNotFound)
		if j, err := s.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(400)}); err != nil || j.Key != "huge" { // no limit
			t.Errorf("claimed %+v, %v", j, err)
		}
	})
	t.Run("many workers claim each job once", func(t *testing.T) {
		write(t, s.Store, func(tx *Tx) error { return tx.exec(t.Context(), "DELETE FROM job") })
		var subjects []string
		for i := range 40 {
			subjects = append(subjects, "many "+strconv.Itoa(i))
		}
		queue("ann", 4, subjects...)
		var claimed atomic.Int64
		var workers sync.WaitGroup
		for i := range 8 {
			from := []*Store{s.Store, other}[i%2]
			workers.Go(func() {
				for {
					j, err := from.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(400)})
					if errors.Is(err, ErrNotFound) {
						return
					}
					if err == nil {
						err = from.Write(t.Context(), func(tx *Tx) error { return tx.FinishJob(t.Context(), j.Key, from.ProcessName()) })
					}
					if err != nil {
						t.Error(err)
						return
					}
					claimed.Add(1)
				}
			})
		}
		workers.Wait()
		if claimed.Load() != 40 {
			t.Errorf("%d jobs were done", claimed.Load())
		}
	})
}

func (s suite) workers(t *testing.T) {
	other := s.open(t)
	a := other.ProcessName()
	known := Worker{Process: a, Memory: 1 << 40, ScansFiles: true, Host: "machine", Version: "1.2", Cores: 8, Started: at(1)}
	write(t, s.Store, func(tx *Tx) error {
		return errors.Join(tx.UpsertWorker(t.Context(), &Worker{Process: a, Memory: 1}), tx.UpsertWorker(t.Context(), &Worker{Process: "b"}), tx.UpsertWorker(t.Context(), &known),
			tx.DeleteWorker(t.Context(), "b"), tx.DeleteWorker(t.Context(), "unknown"))
	})
	list := func(when string, want ...*Worker) {
		t.Helper()
		read(t, s.Store, func(tx *Tx) error {
			got, err := tx.ListWorkers(t.Context())
			for _, w := range got {
				if w.Seen.IsZero() == s.IsOnServer() {
					t.Errorf("%s: the last heartbeat was at %s", when, w.Seen)
				}
				w.Seen = time.Time{}
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: workers (-want +got):\n%s", when, diff)
			}
			return err
		})
	}
	deleteDead := func() {
		t.Helper()
		if err := s.DeleteDeadWorkers(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	deleteDead()
	list("alive", &known)
	s.kill(t, other)
	if s.IsOnServer() {
		list("dead")
	}
	deleteDead()
	read(t, s.Store, func(tx *Tx) error {
		names, err := tx.queryNonEmptyStrings(t.Context(), "SELECT process FROM worker")
		if len(names) > 0 {
			t.Errorf("dead workers are kept: %v", names)
		}
		return err
	})
}

// jobCounts checks the numbers of queued and leased jobs, and the number of jobs that are claimed
// before a given job.
func (s suite) jobCounts(t *testing.T) {
	s.fill(t)
	write(t, s.Store, func(tx *Tx) error {
		var errs []error
		for i, subject := range []string{"ann-1", "ann-2", "bob-1"} {
			errs = append(errs, tx.InsertJob(t.Context(), &Job{Key: subject, Account: subject[:3], Kind: "train", Subject: subject, Created: at(i)}))
		}
		return errors.Join(errs...)
	})
	if j, err := s.ClaimJob(t.Context(), JobClaim{Kind: "train", Until: at(20)}); err != nil || j.Subject != "ann-1" {
		t.Fatalf("claimed %+v, %v", j, err)
	}
	err := s.Read(t.Context(), func(tx *Tx) error {
		counts, err := tx.CountJobs(t.Context())
		if diff := cmp.Diff([]*JobCount{{Kind: "train", Queued: 2, Running: 1, Oldest: at(1)}}, counts, jobClock); err != nil || diff != "" {
			t.Errorf("%v, counts (-want +got):\n%s", err, diff)
		}
		for subject, want := range map[string]int{"bob-1": 1, "ann-2": 2} { // bob was served longer ago
			j, err := tx.GetJobState(t.Context(), subject)
			if err != nil {
				return err
			}
			if n, err := tx.CountJobsBefore(t.Context(), j); err != nil || n != want {
				t.Errorf("%d jobs before %s, want %d; %v", n, subject, want, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	s.jobWaits(t)
}

// jobWaits checks since when jobs wait that were released, or whose account was disabled.
func (s suite) jobWaits(t *testing.T) {
	t.Helper()
	want := func(when string, count JobCount, queues ...*JobQueue) {
		t.Helper()
		count.Kind = "train"
		read(t, s.Store, func(tx *Tx) error {
			counts, err := tx.CountJobs(t.Context())
			if diff := cmp.Diff([]*JobCount{&count}, counts, jobClock); diff != "" {
				t.Errorf("%s: counts (-want +got):\n%s", when, diff)
			}
			if err != nil {
				return err
			}
			got, err := tx.ListJobQueues(t.Context())
			if diff := cmp.Diff(queues, got, jobClock); diff != "" {
				t.Errorf("%s: queues (-want +got):\n%s", when, diff)
			}
			return err
		})
	}
	release := func(key string, since time.Time) {
		t.Helper()
		if err := s.ReleaseJob(t.Context(), key, since); err != nil {
			t.Fatal(err)
		}
	}
	disable := func(disabled bool, now int) {
		t.Helper()
		write(t, s.Store, func(tx *Tx) error { return tx.UpdateDisabled(t.Context(), "ann", disabled, at(now)) })
	}
	release("ann-1", at(30))
	want("after a release", JobCount{Queued: 3, Oldest: at(1)}, &JobQueue{Email: "ann@example.com", Queued: 2, Oldest: at(1)}, &JobQueue{Email: "bob@example.com", Queued: 1, Oldest: at(2)})
	disable(true, 40)
	want("disabled", JobCount{Queued: 1, Oldest: at(2)}, &JobQueue{Email: "ann@example.com", Queued: 2, Disabled: true}, &JobQueue{Email: "bob@example.com", Queued: 1, Oldest: at(2)})
	read(t, s.Store, func(tx *Tx) error {
		jobs, _, err := tx.ListJobs(t.Context(), "", Page{Limit: 9})
		for _, j := range jobs {
			if j.AccountDisabled != (j.Account == "ann") {
				t.Errorf("%+v", j)
			}
		}
		bob, jobErr := tx.GetJobState(t.Context(), "bob-1")
		if jobErr != nil {
			return jobErr
		}
		if n, err := tx.CountJobsBefore(t.Context(), bob); n != 0 || err != nil {
			t.Errorf("%d jobs of a disabled account come before another job; %v", n, err)
		}
		return err
	})
	disable(false, 50)
	disable(false, 55) // it is enabled already
	want("enabled", JobCount{Queued: 3, Oldest: at(2)}, &JobQueue{Email: "ann@example.com", Queued: 2, Oldest: at(50)}, &JobQueue{Email: "bob@example.com", Queued: 1, Oldest: at(2)})
	j, err := s.ClaimJob(t.Context(), JobClaim{Kind: "train", Now: at(60), Until: at(70)})
	if err != nil || j.Subject != "bob-1" || j.QueuedAt.Sub(at(2)).Abs() > jobClockError {
		t.Fatalf("claimed %+v, %v", j, err)
	}
	release("bob-1", j.QueuedAt) // its wait goes on
	want("postponed", JobCount{Queued: 3, Oldest: at(2)}, &JobQueue{Email: "ann@example.com", Queued: 2, Oldest: at(50)}, &JobQueue{Email: "bob@example.com", Queued: 1, Oldest: at(2)})
	if _, err := s.ClaimJob(t.Context(), JobClaim{Kind: "train", Now: at(80), Until: at(90)}); err != nil {
		t.Fatal(err)
	}
	for second := 100; second <= 110; second += 5 {
		if err := s.EndExpiredLeases(t.Context(), LeaseCheck{Now: at(second), Timeout: 10 * time.Second}); err != nil {
			t.Fatal(err)
		}
	}
	read(t, s.Store, func(tx *Tx) error {
		var begun int64
		err := tx.tx.QueryRowContext(t.Context(), "SELECT max(begun) FROM job WHERE owner = ''").Scan(&begun)
		if got := fromMicros(begun); got.Sub(at(110)).Abs() > jobClockError {
			t.Errorf("the job of a dead process waits since %s, want %s", got, at(110))
		}
		return err
	})
}
