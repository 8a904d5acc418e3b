package race

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/exit"
)

// CheckResumedFlags returns a usage error if a flag on the command line has another value than the
// resumed race. It compares only what the service reports of the race. request is the result of
// Request, and algorithms are those of the race. commandWithout returns the command line without a
// flag.
func (f *Flags) CheckResumedFlags(race *api.Training, algorithms []string, request *api.NewTraining, commandWithout func(flag string) string) error {
	threshold, given := formatThreshold(race.TargetPerformance), formatThreshold(f.Threshold)
	if f.AutoThreshold {
		given, threshold = thresholdAuto, thresholdAuto // not compared, because each race of the search has another threshold, or none
	}
	seed, effort := "", race.Effort
	if race.Seed != nil {
		seed, effort = strconv.FormatInt(*race.Seed, 10), cmp.Or(effort, api.EffortDefault)
	}
	if len(algorithms) == 0 {
		algorithms = f.algorithms
	}
	for _, flag := range []struct{ name, given, actual string }{
		{"threshold", given, threshold},
		{"scaling-factor", strconv.Itoa(f.scalingFactor), strconv.Itoa(race.ScalingFactor)},
		{"metric", request.Metric, cmp.Or(race.Metric, request.Metric)},
		{"seed", strconv.FormatInt(f.seed, 10), seed},
		{"algorithm", joinSorted(f.algorithms), joinSorted(algorithms)},
		{"group", f.groupColumn, race.GroupColumn},
		{"time", f.timeColumn, race.TimeColumn},
		{"effort", f.effort, effort},
		{"class-weight", request.ClassWeights.String(), race.ClassWeights.String()},
		{"monotone", request.Monotone.String(), race.Monotone.String()},
	} {
		// Another service has no seeds, and may not report the other options of its races either.
		isUnknown := race.Seed == nil && flag.actual == ""
		if f.cmd.Flags().Changed(flag.name) && flag.given != flag.actual && !isUnknown {
			return ResumedFlagError(cmp.Or(race.ParentTrainingJobKey, race.TrainingJobKey), flag.name, flag.given, flag.actual, commandWithout(flag.name))
		}
	}
	return nil
}

// ResumedFlagError returns the usage error for a flag that has another value than the resumed race.
// given is the value of the flag, and actual the value of the race, or "" if the race has none.
// command is the command line without the flag.
func ResumedFlagError(race, flag, given, actual, command string) error {
	return exit.Usagef("--%s %s differs from that of race %s: %s", flag, given, race, cmp.Or(actual, "none")).
		WithHint("omit the flag and run `%s`, or start a new race without --resume", command)
}

// formatThreshold returns the value of --threshold for a threshold, or "" if it is nil.
func formatThreshold(threshold *float64) string {
	if threshold == nil {
		return ""
	}
	return strconv.FormatFloat(*threshold, 'g', -1, 64)
}

// joinSorted joins a sorted copy of names with commas.
func joinSorted(names []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ",")
}
