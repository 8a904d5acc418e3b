// Package job runs durable jobs. A job that is queued in a store ends exactly once, and only one
// process at a time runs it, even if processes die.
//
//	         Claim                    Do commits its result
//	queued ─────────► leased ─────────────────────────────────► gone
//	   ▲                │ │
//	   │   Release      │ │ Do fails, or the attempts are used up: Fail
//	   ├────────────────┘ └──────────────────────────────────► gone
//	   │   (clean stop, or Do has to wait)
//	   └── no heartbeat for ten seconds, or its process is known to be dead
//
// The subject of a job is the key of the dataset, race or prediction that it works on. A
// pool runs all jobs, or only those whose subjects were passed to AllowSubject, so that
// the jobs of other processes do not delay its own.
//
// The workers of a pool are goroutines, one or several for each kind of job. They look for jobs when
// the store reports a change, and also every few seconds, because reports may be lost. In other
// packages, "worker" means a process whose pool runs every queued job, whichever process queued it.
//
// A heartbeat renews the lease while the job runs. A worker that has lost its
// lease stops and cannot write a result, so that a job never ends twice. A
// cancellation reaches a job in the same process at once, and a job in another
// process at its next heartbeat.
package job
