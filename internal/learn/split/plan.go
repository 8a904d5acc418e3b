package split

import (
	"context"
	"slices"
)

// ValidationPlan divides the rows of a race for testing and validation.
type ValidationPlan struct {
	// Test are rows that are not used before the winner is known.
	Test []int32
	// Rest are all other rows. If the sample has Times, they do not include rows without a
	// time, nor the dropped rows.
	Rest []int32
	// Folds divide Rest. Their Validation rows are used for early stopping, for
	// the choice of the algorithm and for calibration. If Rest is empty, Folds is empty, too.
	Folds []Fold
	// Dropped is the number of rows with a time that are in neither Test nor Rest. If the
	// sample has Times and Groups, rows are dropped if later rows of their group are test
	// rows.
	Dropped int
}

// hasValidation reports whether a fold has validation rows.
func (p *ValidationPlan) hasValidation() bool {
	return slices.ContainsFunc(p.Folds, func(f Fold) bool { return len(f.Validation) > 0 })
}

// An accuracy of p computed from n rows has a standard error of √(p(1-p)/n). At p = 0.9
// this is 0.7 percentage points with 2,000 rows and 0.1 points with 50,000. Below 2,000
// rows, one more row is worth more in validation than in training, because the final
// model is trained on all rows anyway. Above 50,000, more validation rows have no
// benefit.
const (
	enoughTestRows       = 2000
	enoughValidationRows = 4000
	maxValidationRows    = 50000

	// Tables with fewer than crossValidationBelow rows are cross-validated,
	// because a fifth of them would be less than enoughValidationRows.
	crossValidationBelow = 20000
	crossValidationFolds = 5
	// Tables with fewer than smallTableBelow rows have smallTableFolds folds, because training
	// without a fifth of the rows costs accuracy, and more folds take little time.
	smallTableBelow = 1000
	smallTableFolds = 10

	// If few groups or times with many rows are divided, at least one in minTrainPart rows should be
	// a training row.
	minTrainPart = 3
	// No test rows are set aside if groups or times allow fewer than minTestRows and far fewer than
	// wanted: scores of so few rows say nothing.
	minTestRows = 20
)

// NewValidationPlan returns the plan of a race over the sample.
//
//	rows              test rows
//	up to 10,000      20 %
//	up to 20,000      2,000
//	more              10 %, at most 50,000
//
//	remaining rows    validation rows
//	below 1,000       10 folds
//	below 20,000      5 folds
//	up to 40,000      one holdout of 4,000 rows
//	more              one holdout of 10 %, at most 50,000 rows
//
// A sample too small to be divided has one fold with an empty Validation.
//
// If the sample has Groups, there are about as many test and validation rows as the sizes of the
// groups allow. Large groups may allow only a holdout with less than a quarter or more than twice
// the number of rows above. Then 5 folds replace the holdout, unless a single group has most of the
// rows.
//
// If the sample has Times, the latest rows are the test rows. If fewer than 20,000 rows remain,
// their later half is divided into the validation rows of 5 folds. Otherwise the latest of the
// remaining rows are the holdout. A fold trains only on earlier rows. If many rows have the same
// time, there may be more test and validation rows than stated above.
//
// Groups or times may allow only one division, for example if all rows are of two years. There are
// then validation rows but no test rows.
//
// If ctx is done before the plan is complete, NewValidationPlan returns the error of ctx.
func NewValidationPlan(ctx context.Context, s Sample, seed uint64) (ValidationPlan, error) {
	if err := ctx.Err(); err != nil {
		return ValidationPlan{}, err
	}
	plan, err := planRows(ctx, s, seed, true)
	if err != nil || s.Groups == nil && s.Times == nil || plan.hasValidation() {
		return plan, err
	}
	untested, err := planRows(ctx, s, seed, false)
	if err != nil || untested.hasValidation() {
		return untested, err
	}
	return plan, nil
}

// planRows returns the plan of [NewValidationPlan]. If tested is false, there are no test rows.
func planRows(ctx context.Context, s Sample, seed uint64, tested bool) (ValidationPlan, error) {
	if s.Times != nil {
		return newTimePlan(ctx, s, tested)
	}
	rows := len(s.Rows)
	if s.Rows == nil {
		rows = len(s.Labels)
	}
	fraction := 0.0
	if tested {
		fraction = holdoutFraction(rows, enoughTestRows)
	}
	rest, test := s.holdoutForTest(fraction, seed)
	if err := ctx.Err(); err != nil {
		return ValidationPlan{}, err
	}
	plan := ValidationPlan{Test: test, Rest: rest}
	if rest != nil {
		remaining := s
		remaining.Rows = rest
		plan.Folds = remaining.validationFolds(seed)
	}
	return plan, nil
}

// validationFolds divides the rows of the sample, which are all rows except test rows, into the
// folds of a plan.
func (s Sample) validationFolds(seed uint64) []Fold {
	k, fraction := foldsAndFraction(len(s.Rows))
	if k > 1 {
		return Folds(s, k, seed)
	}
	train, validation := Holdout(s, fraction, ^seed)
	holdout := []Fold{{Train: train, Validation: validation}}
	wanted := fraction * float64(len(s.Rows))
	if s.Groups == nil || !isFarBelow(len(validation), wanted) && float64(len(validation)) <= 2*wanted {
		return holdout
	}
	folds := Folds(s, crossValidationFolds, seed)
	for _, fold := range folds {
		if len(fold.Validation) == 0 || len(fold.Train) < len(s.Rows)/minTrainPart {
			return holdout
		}
	}
	return folds
}

// foldsAndFraction returns how the given number of rows is divided for validation: the number of
// folds, and the fraction of the rows that are validation rows of a fold. Groups and times do not
// matter.
func foldsAndFraction(rows int) (folds int, fraction float64) {
	switch {
	case rows < smallTableBelow:
		return smallTableFolds, 1
	case rows < crossValidationBelow:
		return crossValidationFolds, 1
	}
	return 1, holdoutFraction(rows, enoughValidationRows)
}

// EstimatePlanSize returns the number of folds of [NewValidationPlan] for a table of the given
// number of rows, and the approximate number of validation rows in all folds together. It assumes
// that there are no groups and times.
func EstimatePlanSize(rows int) (folds, validation int) {
	rest := rows - int(float64(rows)*holdoutFraction(rows, enoughTestRows))
	folds, fraction := foldsAndFraction(rest)
	return folds, int(float64(rest) * fraction)
}

// holdoutFraction returns the fraction of the given rows to hold out. It is a fifth of a small
// table, enoughRows rows of a medium table, and a tenth of a large table, but at most
// maxValidationRows rows.
func holdoutFraction(rows, enoughRows int) float64 {
	n := float64(rows)
	validation := min(max(n/10, min(n/5, float64(enoughRows))), maxValidationRows)
	return validation / max(n, 1)
}
