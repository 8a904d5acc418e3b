// Package app holds the operations of the service and their rules: one method
// per endpoint of package api, named as the endpoint, and the jobs that the
// operations cause. Errors that a user may see are *api.Problem.
//
// Every change of state is one guarded write, together with the job that
// follows from it; whoever comes second finds the state changed and gets
// CodeWrongState.
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
// A training job is a race with one child per algorithm. The job works on the
// race; the children are how it is told. A race is cancelled and deleted as a
// whole, through its own key.
//
// A race that is PENDING or RUNNING and a prediction that is RUNNING cannot be
// deleted, nor what they belong to, until they have ended; a race can be
// cancelled. Where no process works on one, and none will unasked, it can be
// deleted. The preparation of a dataset that is deleted is stopped.
//
// A killed process leaves its jobs leased and its files marked with its name.
// The next process, or another that shares the data folder, finds both, takes
// the jobs up from their beginning and removes the files.
package app
