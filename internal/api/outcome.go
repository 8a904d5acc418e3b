package api

import "strconv"

// The outcomes of a training job: an extension that says what its status leaves
// open. A race without a threshold is never below one, and a run that was
// stopped because another one had won did not fail.
const (
	OutcomePending     = "pending"         // waits to begin
	OutcomeInterrupted = "interrupted"     // its process ended; waits until somebody asks for it
	OutcomeRunning     = "running"         // goes on
	OutcomeReached     = "reached"         // reached the threshold
	OutcomeBelow       = "below-threshold" // no longer improved, below the threshold
	OutcomeStopped     = "stopped"         // a run: another one ended the race first
	OutcomeDone        = "done"            // without a threshold: no longer improved
	OutcomeTimeLimit   = "time-limit"      // the time limit came first; the best model is kept
	OutcomeCancelled   = "cancelled"
	OutcomeFailed      = "failed"
)

// OutcomeOf returns the outcome of a training job by its status and threshold,
// which is nil for none. beaten tells of a run that the race was won by another;
// a race is not beaten. It is "" for an unknown status.
func OutcomeOf(status string, threshold *float64, beaten bool) string {
	switch status {
	case TrainingPending:
		return OutcomePending
	case TrainingRunning:
		return OutcomeRunning
	case TrainingCompleted:
		if threshold == nil {
			return OutcomeDone
		}
		return OutcomeReached
	case TrainingNotCompleted:
		switch {
		case beaten:
			return OutcomeStopped
		case threshold == nil:
			return OutcomeDone
		}
		return OutcomeBelow
	case TrainingTimedOut:
		return OutcomeTimeLimit
	case TrainingFailed:
		return OutcomeFailed
	case TrainingCancelled:
		return OutcomeCancelled
	}
	return ""
}

// OutcomeText returns an outcome as people read it, such as "below 0.90".
// threshold is that of the race, nil for none.
func OutcomeText(outcome string, threshold *float64) string {
	switch {
	case outcome == OutcomeReached && threshold != nil:
		return "reached " + thresholdText(*threshold)
	case outcome == OutcomeBelow && threshold != nil:
		return "below " + thresholdText(*threshold)
	case outcome == OutcomeBelow:
		return OutcomeDone
	case outcome == OutcomeTimeLimit:
		return "time limit"
	}
	return outcome
}

// thresholdText writes a threshold with two digits, or as many as it has.
func thresholdText(v float64) string {
	if text := strconv.FormatFloat(v, 'f', -1, 64); len(text) > len("0.00") {
		return text
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
