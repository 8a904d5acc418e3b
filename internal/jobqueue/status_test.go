package jobqueue

import (
	"testing"

	"foretell/internal/api"
	"foretell/internal/store"
)

// TestStatus checks why a job waits, and whether it is interrupted. A full disk matters only to a job
// that runs on this machine, or that only workers on this machine can run.
func TestStatus(t *testing.T) {
	for name, c := range map[string]struct {
		owner, kind string
		live        []string
		isDiskFull,
		ownJobsOnly bool
		want        string
		interrupted bool
	}{
		"runs":                      {owner: "live", want: ""},
		"disk_full":                 {owner: "live", isDiskFull: true, want: api.WaitingForSpace},
		"disk_full_on_another_host": {owner: "remote", isDiskFull: true, want: ""},
		"disk_full_for_a_command":   {owner: "live", isDiskFull: true, ownJobsOnly: true, want: ""},
		"queued_and_full":           {live: []string{"live"}, isDiskFull: true, want: api.WaitingForSpace},
		"queued_and_space":          {live: []string{"live"}, want: ""},
		"queued_and_space_remote":   {live: []string{"live", "remote"}, isDiskFull: true, want: ""},
		"queued_and_needs_no_space": {kind: Prepare, live: []string{"live"}, isDiskFull: true, want: ""},
		"no_worker":                 {owner: "", want: api.WaitingForWorker},
		"no_worker_and_full":        {owner: "", isDiskFull: true, want: api.WaitingForWorker},
		"no_worker_and_own_jobs":    {owner: "", ownJobsOnly: true, want: "", interrupted: true},
		"owner_is_no_longer_alive":  {owner: "dead", isDiskFull: true, want: api.WaitingForWorker},
	} {
		q := &Queue{ownJobsOnly: c.ownJobsOnly, isDiskFull: func() bool { return c.isDiskFull }, host: "north"}
		w := &Workers{queue: q, alive: map[string]bool{"": false, "live": true, "remote": true, "dead": false}, hosts: map[string]string{"live": "north", "remote": "south"}}
		for _, process := range c.live {
			w.Live = append(w.Live, &store.Worker{Process: process, Host: w.hosts[process]})
		}
		if s := w.Status(&store.JobState{Owner: c.owner, Kind: c.kind}); s.WaitingFor != c.want || s.Interrupted != c.interrupted {
			t.Errorf("%s: waits for %q, interrupted %t; want %q, %t", name, s.WaitingFor, s.Interrupted, c.want, c.interrupted)
		}
	}
}
