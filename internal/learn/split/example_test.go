package split_test

import (
	"context"
	"fmt"

	"foretell/internal/learn/split"
)

// Each row is validated once, and every fold has the class proportions of the sample.
func ExampleFolds() {
	s := split.Sample{Labels: []int32{0, 0, 0, 0, 0, 0, 1, 1, 1}, Classes: 2}
	for _, fold := range split.Folds(s, 3, 1) {
		classes := [2]int{}
		for _, row := range fold.Validation {
			classes[s.Labels[row]]++
		}
		fmt.Printf("train on %d rows, validate on %d: %d of class 0, %d of class 1\n",
			len(fold.Train), len(fold.Validation), classes[0], classes[1])
	}
	// Output:
	// train on 6 rows, validate on 3: 2 of class 0, 1 of class 1
	// train on 6 rows, validate on 3: 2 of class 0, 1 of class 1
	// train on 6 rows, validate on 3: 2 of class 0, 1 of class 1
}

// A small table is cross-validated, a large one has a single holdout.
func ExampleNewValidationPlan() {
	for _, rows := range []int{1_000, 100_000} {
		labels := make([]int32, rows)
		for i := range labels {
			labels[i] = int32(i % 2)
		}
		plan, err := split.NewValidationPlan(context.Background(), split.Sample{Labels: labels, Classes: 2}, 1)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d rows: %d test rows, %d folds, %d validation rows in the first\n",
			rows, len(plan.Test), len(plan.Folds), len(plan.Folds[0].Validation))
	}
	// Output:
	// 1000 rows: 200 test rows, 10 folds, 80 validation rows in the first
	// 100000 rows: 10000 test rows, 1 folds, 9000 validation rows in the first
}
