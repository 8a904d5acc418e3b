package split

import (
	"context"
	"slices"
)

// ValidationPlan divides the rows of a race for testing and validation.
type ValidationPlan struct {
	// Test are rows that are not used before the winner is known.
	Test []int32
	// Rest are all other rows. If the sample has Times, they include neither rows without a time
	// nor dropped rows.
	Rest []int32
	// Folds divide Rest. The Validation rows of all folds are used for early stopping, for the
	// choice of the algorithm and for calibration. If Rest is empty, so is Folds.
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

// An accuracy of p computed from n rows has a standard error of √(p(1-p)/n). At p = 0.9, this is
// 0.7 percentage points with 2,000 rows and 0.1 percentage points with 50,000. With fewer than
// 2,000 validation rows, another row is worth more in validation than in training, because the
// final model is trained on all rows anyway. With more than 50,000 validation rows, another row has
// no benefit.
const (
	enoughTestRows       = 2000
	enoughValidationRows = 4000
	maxValidationRows    = 50000

	// Tables with fewer than crossValidationBelow rows are cross-validated, because a holdout of a
	// fifth of the rows would have fewer than enoughValidationRows rows.
	crossValidationBelow = 20000
	crossValidationFolds = 5
	// Tables with fewer than smallTableBelow rows are divided into smallTableFolds folds, because
	// training without a fifth of the rows would cost accuracy, and more folds take little time.
	smallTableBelow = 1000
	smallTableFolds = 10

	// If the rows are divided by groups or times that each have many rows, at least one in
	// minTrainPart rows should be a training row.
	minTrainPart = 3
	// No test rows are set aside if groups or times allow only fewer than minTestRows, and far
	// fewer than wanted, because scores on so few rows are meaningless.
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
// If the sample has Groups, these numbers are only approximate, because groups are not divided. If
// the holdout would have less than a quarter or more than twice the number of rows above, 5 folds
// replace it, unless a single group contains most of the rows.
//
// If the sample has Times, the latest rows are the test rows. If fewer than 20,000 rows remain, the
// later half of them is divided into the validation rows of 5 folds. If 20,000 or more remain, the
// latest of them are the holdout. In each case, the training rows of a fold are earlier than its
// validation rows. If many rows have the same time, there may be more test and validation rows than
// stated above.
//
// If groups or times allow only one division, for example because the rows are from only two years,
// there are validation rows but no test rows.
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
// that the table has no groups and no times.
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
