package api_test

import (
	"encoding/json"
	"fmt"

	"foretell/internal/api"
)

func ExampleNewFieldProblem() {
	err := api.NewFieldProblem("numberOfBuckets", "%d: must be 4 to 100", 3)
	fmt.Println(err.Status, err.Code, err)
	// Output: 422 invalid numberOfBuckets: 3: must be 4 to 100
}

func ExampleDecimal() {
	var model api.Model
	if err := json.Unmarshal([]byte(`{"achievedPerformance":"0.9667"}`), &model); err != nil {
		fmt.Println(err)
	}
	fmt.Println(model.AchievedPerformance.Value)
	// Output: 0.9667
}

func ExampleThreshold() {
	with, _ := json.Marshal(api.NewTraining{PerformanceThreshold: api.NewThreshold(new(0.9))})
	without, _ := json.Marshal(api.NewTraining{PerformanceThreshold: api.NewThreshold(nil)})
	fmt.Println(string(with))
	fmt.Println(string(without))
	// Output:
	// {"scalingFactor":0,"performanceThreshold":0.9}
	// {"scalingFactor":0,"performanceThreshold":null}
}

func ExampleFormatOutcome() {
	fmt.Println(api.FormatOutcome(api.OutcomeBelow, new(0.9)))
	fmt.Println(api.FormatOutcome(api.OutcomeTimeLimit, nil))
	// Output:
	// below 0.90
	// time limit
}

func ExampleMetricByAlias() {
	fmt.Println(api.MetricByAlias("ROC_AUC"), api.MetricByAlias("f1"))
	// Output: rocAuc macroF1
}
