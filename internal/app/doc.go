// Package app implements the operations of the service: for each endpoint of package api, one
// method with the same name. Errors for users are *api.Problem. Package worker runs the jobs that
// the operations queue.
//
// One transaction checks the previous state, writes the new state, and queues the job that the
// change requires. Of two concurrent changes the second returns CodeWrongState.
//
//	dataset      PENDING ──upload──► PROCESSING ──prepare──► COMPLETED
//	                                     └───────defect────► FAILED
//
//	training     PENDING ──train──► RUNNING ──────────────► COMPLETED       an algorithm reached the threshold, or there is none
//	                │                  ├──────────────────► NOT_COMPLETED   all stopped improving below the threshold
//	                │                  ├──────────────────► TIMED_OUT       the time limit came first
//	                │                  ├──────────────────► FAILED          every algorithm failed
//	                └─────cancel───────┴─────cancel───────► CANCELLED       the best model so far is kept
//
//	prediction   PENDING ─predict─► RUNNING ──────────────► COMPLETED
//	                                   ├──────────────────► FAILED
//	                                   └──────────────────► TIMEOUT
//
// A race is a training job, and each of its algorithms has a training job of its
// own, called a run. The runs show the progress of the race. A race is cancelled
// and deleted as a whole, by its own key.
//
// A race that is PENDING or RUNNING cannot be deleted, and neither can a prediction that is
// RUNNING. The same holds for the model and the dataset of such a race or prediction. The exception
// is a race or prediction whose job no process runs or will resume. Deleting a dataset stops its
// preparation.
package app
