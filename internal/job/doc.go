// Package job runs durable jobs: a job that is queued in a store is completed
// once, by one worker at a time, even if processes die.
//
//	         Claim                    Do commits its result
//	queued ─────────► leased ─────────────────────────────────► gone
//	   ▲                │ │
//	   │   Release      │ │ Do fails, or the attempts are used up: Fail
//	   ├────────────────┘ └──────────────────────────────────► gone
//	   │   (clean stop)
//	   └── the lease runs out, or its process is known to be dead
//
// A pool runs all jobs, or only those on the subjects passed to Want: then the
// jobs of other processes do not delay its own.
//
// A heartbeat renews the lease while the job runs. A worker that lost its lease
// stops, and its result is written only if it has the lease, so that a job
// never ends twice. A cancellation reaches a job in the same process at once,
// and one in another process with its next heartbeat.
package job
