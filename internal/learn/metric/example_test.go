package metric_test

import (
	"context"
	"fmt"

	"foretell/internal/learn/metric"
)

func Example() {
	p := metric.Predictions{
		Classes: 2,
		Labels:  []int32{0, 0, 0, 1},
		Probabilities: []float32{
			0.9, 0.1,
			0.8, 0.2,
			0.4, 0.6,
			0.3, 0.7,
		},
	}
	auc, _ := metric.ROCAUC(context.Background(), p) // the only error is that of the context
	fmt.Printf("accuracy          %.3f\n", metric.Accuracy(p))
	fmt.Printf("balanced accuracy %.3f\n", metric.BalancedAccuracy(p))
	fmt.Printf("macro F1          %.3f\n", metric.MacroF1(p))
	fmt.Printf("ROC AUC           %.3f\n", auc)
	fmt.Printf("log loss          %.3f\n", metric.LogLoss(p))
	fmt.Println("confusion        ", metric.Confusion(p))
	// Output:
	// accuracy          0.750
	// balanced accuracy 0.833
	// macro F1          0.733
	// ROC AUC           1.000
	// log loss          0.400
	// confusion         [2 1 0 1]
}

// The interval of a proportion of few rows is wide.
func ExampleWilson() {
	for _, rows := range []int{10, 100, 1000} {
		i := metric.Wilson(rows*9/10, rows)
		fmt.Printf("0.9 of %4d rows: %.3f to %.3f\n", rows, i.Low, i.High)
	}
	// Output:
	// 0.9 of   10 rows: 0.596 to 0.982
	// 0.9 of  100 rows: 0.826 to 0.945
	// 0.9 of 1000 rows: 0.880 to 0.917
}

// Decisions by weighted probabilities can prefer a rare class.
func ExampleDecide() {
	probabilities := []float32{0.7, 0.3}
	fmt.Println(metric.Decide(probabilities, nil), metric.Decide(probabilities, []float64{1, 3}))
	// Output: 0 1
}
