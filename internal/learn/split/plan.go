package split

// Plan is how a race judges its runs.
type Plan struct {
	// Test are rows that nothing looks at until the winner is known.
	Test []int32
	// Rest are all the others.
	Rest []int32
	// Parts divide Rest. Their Eval rows steer the race: when to stop, which
	// algorithm leads, how to calibrate.
	Parts []Part
}

// The numbers of a plan. A score measured on n rows has a standard error of
// √(p(1-p)/n): at p = 0.9 that is 0.7 points with 2,000 rows and 0.1 points
// with 50,000. Below the first, more rows to judge on are worth more than the
// same rows to learn from (the final model learns from every row anyway);
// above the second, they buy nothing.
const (
	enoughTest = 2000
	enoughEval = 4000
	mostJudged = 50000

	// One holdout of a table this size has enoughEval rows; a smaller one
	// would not, so smaller tables are judged on every row, in folds.
	foldsBelow = 20000
	folds      = 5
	// Under tinyBelow rows a fifth is a loss the learners feel: folds are
	// made smaller and more, which costs little at this size.
	tinyBelow = 1000
	tinyFolds = 10
)

// NewPlan makes the plan of a race over the sample.
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
	judged := min(max(n/10, min(n/5, float64(enough))), mostJudged)
	return judged / max(n, 1)
}
