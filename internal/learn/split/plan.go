package split

// Plan divides the rows of a race for testing and validation.
type Plan struct {
	// Test are rows that are not used before the winner is known.
	Test []int32
	// Rest are all other rows.
	Rest []int32
	// Parts divide Rest. Their Eval rows decide when to stop, which algorithm
	// leads and how to calibrate.
	Parts []Part
}

// The numbers of a plan. A score measured on n rows has a standard error of
// √(p(1-p)/n): at p = 0.9 that is 0.7 points with 2,000 rows and 0.1 points
// with 50,000. Below the first, more validation rows are worth more than the same
// rows in training (the final model is trained on every row anyway); above the
// second, they have no benefit.
const (
	enoughTest        = 2000
	enoughEval        = 4000
	maxValidationRows = 50000

	// One holdout of a table this size has enoughEval rows. A smaller one
	// would not, so smaller tables are validated on every row, in folds.
	foldsBelow = 20000
	folds      = 5
	// Under tinyBelow rows, training on a fifth less costs accuracy: there are
	// more and smaller folds, which takes little time at this size.
	tinyBelow = 1000
	tinyFolds = 10
)

// NewPlan returns the plan of a race over the sample.
//
//	rows            test part                    parts
//	up to 1,250     20 %                         10 folds of the rest
//	up to 10,000    20 %                         5 folds
//	up to 20,000    2,000 rows                   5 folds
//	up to 40,000    10 %, at most 50,000 rows    one holdout of 4,000 rows
//	more                                         one holdout of 10 %, at most 50,000 rows
//
// (Bounds of the right column are on the rows that remain after the test
// part.) A sample too small to be divided has one part with an empty Eval.
func NewPlan(s Sample, seed uint64) Plan {
	rows := len(s.Rows)
	if s.Rows == nil {
		rows = len(s.Labels)
	}
	rest, test := Holdout(s, fraction(rows, enoughTest), seed)
	plan := Plan{Test: test, Rest: rest}
	remaining := Sample{Rows: rest, Labels: s.Labels, Classes: s.Classes}
	switch {
	case rest == nil:
	case len(rest) < tinyBelow:
		plan.Parts = Folds(remaining, tinyFolds, seed)
	case len(rest) < foldsBelow:
		plan.Parts = Folds(remaining, folds, seed)
	default:
		train, eval := Holdout(remaining, fraction(len(rest), enoughEval), ^seed)
		plan.Parts = []Part{{Train: train, Eval: eval}}
	}
	return plan
}

// fraction is the share of rows to judge on: a fifth until that is enough,
// then as many as are enough, then a tenth up to mostJudged rows.
func fraction(rows, enough int) float64 {
	n := float64(rows)
	validation := min(max(n/10, min(n/5, float64(enough))), maxValidationRows)
	return validation / max(n, 1)
}
