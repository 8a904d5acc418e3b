package dashboard

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/api"
)

// trainForm holds the fields of the form to start a race, as they were typed.
type trainForm struct {
	Threshold, Metric, ClassWeights, Monotone, ScalingFactor, Minutes, Seed string
	Algorithms                                                              []string
}

// trainFields are the fields of the form to start a race.
var trainFields = []formField{
	{"performanceThreshold", "threshold", "Threshold"},
	{"metric", "metric", "Metric"},
	{"scalingFactor", "scaling", "Scaling factor"},
	{"timeLimitSeconds", "minutes", "Time limit in minutes"},
	{"algorithms", "algorithms", "Algorithms"},
	{"classWeights", "weights", "Class weights"},
	{"monotone", "monotone", "Monotone columns"},
	{"seed", "seed", "Seed"},
}

// Chosen reports whether the box of an algorithm is checked.
func (f trainForm) Chosen(algorithm string) bool { return slices.Contains(f.Algorithms, algorithm) }

// toRequest converts the typed values to a request for a dataset with these classes. If fields are
// invalid, it returns a problem that lists all of them. The API checks whether the columns in
// Monotone exist.
func (f trainForm) toRequest(classes []api.Class) (*api.NewTraining, error) {
	var invalid []api.FieldError
	reject := func(field, message string) { invalid = append(invalid, api.FieldError{Field: field, Message: message}) }
	out := &api.NewTraining{Metric: f.Metric}
	var ok bool
	if out.PerformanceThreshold, ok = f.parseThreshold(); !ok {
		reject("performanceThreshold", "must be a number between 0 and 1, or empty")
	}
	if out.ScalingFactor, ok = f.parseScalingFactor(); !ok {
		reject("scalingFactor", "must be an integer between 0 and "+strconv.Itoa(api.MaxScalingFactor))
	}
	if out.TimeLimitSeconds, ok = f.parseMinutes(); !ok {
		reject("timeLimitSeconds", "must be between 0.0167 (one second) and 10080 (a week), or empty for 60")
	}
	if out.Seed, ok = f.parseSeed(); !ok {
		reject("seed", "must be an integer of at least 0, or empty")
	}
	var err error
	if out.ClassWeights, err = api.ParseClassWeights(strings.TrimSpace(f.ClassWeights)); err == nil {
		_, err = out.ClassWeights.Resolve(classes)
	}
	if err != nil {
		reject("classWeights", err.Error())
	}
	if out.Monotone, err = parseMonotone(f.Monotone); err != nil {
		reject("monotone", err.Error())
	}
	if reason := f.invalidAlgorithms(); reason != "" {
		reject("algorithms", reason)
	} else if len(f.Algorithms) < len(api.Algorithms(len(classes))) {
		out.Algorithms = f.Algorithms
	}
	if len(invalid) > 0 {
		return nil, api.NewFieldProblems(invalid)
	}
	return out, nil
}

// parseNumber parses a number that may have a decimal comma.
func parseNumber(text string) (float64, error) {
	return strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
}

func (f trainForm) parseThreshold() (threshold api.Threshold, ok bool) {
	text := strings.TrimSpace(f.Threshold)
	if text == "" {
		return api.NewThreshold(nil), true
	}
	value, err := parseNumber(text)
	return api.NewThreshold(&value), err == nil && api.ValidThreshold(&value)
}

func (f trainForm) parseScalingFactor() (factor int, ok bool) {
	text := strings.TrimSpace(f.ScalingFactor)
	if text == "" {
		return 0, true
	}
	factor, err := strconv.Atoi(text)
	return factor, err == nil && factor >= 0 && factor <= api.MaxScalingFactor
}

// parseMinutes returns the time limit in seconds, or nil if the field is empty. It returns ok =
// false if the field is not a number, or the time limit is not allowed.
func (f trainForm) parseMinutes() (seconds *int, ok bool) {
	text := strings.TrimSpace(f.Minutes)
	if text == "" {
		return nil, true
	}
	minutes, err := parseNumber(text)
	limit := 60 * minutes
	if err != nil || !(limit >= 1 && limit <= api.MaxTimeLimitSeconds) { // also rejects NaN
		return nil, false
	}
	whole := int(math.Round(limit)) // 60 × 8.2 is 491.99999999999994
	return &whole, true
}

func (f trainForm) parseSeed() (seed *int64, ok bool) {
	text := strings.TrimSpace(f.Seed)
	if text == "" {
		return nil, true
	}
	value, err := strconv.ParseInt(text, 10, 64)
	return &value, err == nil && value >= 0
}

// invalidAlgorithms returns why the chosen algorithms cannot race, or "" if they can. The neural
// network does not race with monotone columns. If all algorithms are chosen, the API omits the
// network.
func (f trainForm) invalidAlgorithms() string {
	switch {
	case len(f.Algorithms) == 0:
		return "choose at least one"
	case strings.TrimSpace(f.Monotone) == "" || len(f.Algorithms) == len(api.Algorithms(0)):
		return ""
	}
	for _, code := range f.Algorithms {
		if !api.SupportsMonotone(code) {
			return code + " does not support monotone columns: omit it, or name no monotone columns"
		}
	}
	return ""
}

// parseMonotone parses the monotone columns of a form, one a line, such as income=increasing.
func parseMonotone(text string) (api.Monotone, error) {
	var pairs []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			pairs = append(pairs, line)
		}
	}
	return api.ParseMonotone(pairs)
}
