package learn_test

import (
	"context"
	"fmt"
	"strings"

	"foretell/internal/learn"
	"foretell/internal/learn/model"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// Train on a small table until the accuracy is 0.9, and predict rows without
// labels.
func Example() {
	var train strings.Builder
	train.WriteString("id,length,colour,animal\n")
	for i := range 60 {
		animal, length := "ant", i%20
		if length >= 10 {
			animal = "cat"
		}
		fmt.Fprintf(&train, "r%d,%d,%s,%s\n", i, length, []string{"red", "black", "brown"}[i%3], animal)
	}
	blind := "id,length,colour\nb1,2,red\nb2,17,black\n"

	ctx := context.Background()
	profile, err := profile.Scan(ctx, strings.NewReader(train.String()), profile.ScanOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := frame.Load(ctx, strings.NewReader(train.String()), profile.Schema, frame.LoadOptions{Labelled: true, Rows: profile.Rows})
	if err != nil {
		fmt.Println(err)
		return
	}
	outcome, err := learn.Race(ctx, f, learn.Params{Algorithms: []string{"BFIF01"}, Threshold: new(0.9), Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s has accuracy %.2f\n", outcome.Status, outcome.Algorithm, outcome.Achieved)

	var result strings.Builder
	if _, err := outcome.Model.Predict(ctx, strings.NewReader(blind), &result, model.PredictOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(result.String()) {
		fields := strings.Split(line, ",")
		fmt.Println(strings.Join(fields[:4], ","))
	}
	// Output:
	// COMPLETED: BFIF01 has accuracy 0.98
	// id,length,colour,prediction
	// b1,2,red,ant
	// b2,17,black,cat
}
