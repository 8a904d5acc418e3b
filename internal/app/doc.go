// Package app implements the operations of the service: one method per endpoint
// of package api, with its name, and the jobs that the operations queue. Errors
// for users are *api.Problem.
//
// Every change of state is one transaction, together with the job that it
// causes, and checks the previous state: the second of two concurrent changes
// gets CodeWrongState.
//
//	dataset      PENDING ──upload──► PROCESSING ──prepare──► COMPLETED
//	                                     └───────defect────► FAILED
//
//	training     PENDING ──train──► RUNNING ──────────────► COMPLETED       an algorithm reached the threshold
//	                │                  ├──────────────────► NOT_COMPLETED   all stalled below it
//	                │                  ├──────────────────► TIMED_OUT       the time limit came first
//	                │                  ├──────────────────► FAILED          no algorithm learnt anything
//	                └─────cancel───────┴─────cancel───────► CANCELLED       the best model so far is kept
//
//	prediction   PENDING ─predict─► RUNNING ──────────────► COMPLETED
//	                                   ├──────────────────► FAILED
//	                                   └──────────────────► TIMEOUT
//
// A training job is a race with one child (a run) per algorithm. The job runs
// the race; the children report its progress. A race is cancelled and deleted
// as a whole, by its own key.
//
// A race that is PENDING or RUNNING and a prediction that is RUNNING cannot be
// deleted, nor what they belong to, until they have ended; a race can be
// cancelled. If no process runs one, and none will resume it, it can be
// deleted. Deleting a dataset stops its preparation.
//
// A killed process leaves leased jobs, and files that contain its name. The
// next process, or another that shares the data folder, restarts the jobs and
// removes the files.
package app
