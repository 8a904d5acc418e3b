package api

import "strconv"

// The outcomes of a training job. They are an extension. Unlike the status, they distinguish the
// cases of NOT_COMPLETED: a race below its threshold, a race without a threshold, and an algorithm
// that was stopped because another algorithm won.
const (
	OutcomePending     = "pending"         // waits to start
	OutcomeInterrupted = "interrupted"     // its process ended; waits until it is resumed
	OutcomeRunning     = "running"         // runs
	OutcomeReached     = "reached"         // reached the threshold
	OutcomeBelow       = "below-threshold" // no longer improved, below the threshold
	OutcomeStopped     = "stopped"         // a run that was stopped because another run won
	OutcomeDone        = "done"            // no longer improved, in a race without a threshold
	OutcomeTimeLimit   = "time-limit"      // the time limit came first; the best model is kept
	OutcomeCancelled   = "cancelled"
	OutcomeFailed      = "failed"
)

// OutcomeFromStatus derives the outcome of a training job from its status and threshold. The job is
// a race or one algorithm of a race. threshold is nil if the race has none. otherWon reports
// whether another algorithm won the race; it is false for the race itself. The outcome of an
// unknown status is "".
func OutcomeFromStatus(status string, threshold *float64, otherWon bool) string {
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
		case otherWon:
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

// FormatOutcome returns an outcome for people, such as "below 0.90". threshold is the
// threshold of the race, or nil if the race had none.
func FormatOutcome(outcome string, threshold *float64) string {
	switch {
	case outcome == OutcomeReached && threshold != nil:
		return "reached " + formatThreshold(*threshold)
	case outcome == OutcomeBelow && threshold != nil:
		return "below " + formatThreshold(*threshold)
	case outcome == OutcomeBelow:
		return OutcomeDone
	case outcome == OutcomeTimeLimit:
		return "time limit"
	}
	return outcome
}

// formatThreshold formats a threshold with all its decimals, but with at least two.
func formatThreshold(v float64) string {
	if text := strconv.FormatFloat(v, 'f', -1, 64); len(text) > len("0.00") {
		return text
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
