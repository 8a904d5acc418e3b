// Package job does durable work: what is queued in a store is done once, by
// one worker at a time, whatever dies in between.
//
//	         Claim                    Do commits its result
//	queued ─────────► leased ─────────────────────────────────► gone
//	   ▲                │ │
//	   │   Release      │ │ Do fails, or the attempts are used up: GiveUp
//	   ├────────────────┘ └──────────────────────────────────► gone
//	   │   (clean stop)
//	   └── the lease runs out, or its process is known to be dead
//
// A pool takes every job, or only those on subjects that it was told to want:
// then what others queued or left behind does not delay its own.
//
// A lease is renewed by a heartbeat while the work goes on. A worker that
// finds its lease lost stops, and what it writes at its end is guarded by the
// lease, so that a job never ends twice. Cancelling reaches work in the same
// process at once and elsewhere with its next heartbeat.
package job
