package metric

import (
	"context"
	"errors"
	"testing"

	"foretell/internal/testenv"
)

// TestCancelled cancels the context of each function at different moments. The function must
// return the error of the context, and must check the context often: for each class or for
// each block of rows.
func TestCancelled(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	p := calibratedSample(5000, 6, 1)
	p.Names = []string{"a", "b", "c", "d", "e", "f"}
	grouped := p
	for row := range p.Labels {
		grouped.Groups = append(grouped.Groups, int32(row/3))
	}
	score := func(name string, p Predictions) func(context.Context) error {
		return func(ctx context.Context) error { _, err := Score(ctx, name, p); return err }
	}
	interval := func(name string, p Predictions) func(context.Context) error {
		return func(ctx context.Context) error { _, err := ScoreInterval(ctx, name, p); return err }
	}
	weights := func(name string) func(context.Context) error {
		return func(ctx context.Context) error { _, err := FitClassWeights(ctx, name, p); return err }
	}
	for name, c := range map[string]struct {
		compute func(context.Context) error
		checks  int // at least
	}{
		"temperature":           {func(ctx context.Context) error { _, err := FitTemperature(ctx, p); return err }, 5 * 10},
		"temperature_of_no_row": {func(ctx context.Context) error { _, err := FitTemperature(ctx, Predictions{}); return err }, 1},
		"weights_for_recall":    {weights(NameBalancedAccuracy), 5 + 5 + 6},
		"weights_for_F1":        {weights(NameMacroF1), 5 + 5 + 6},
		"weights_for_one_F1":    {weights("f1[b]"), 5 + 33},
		"no_weights":            {weights(NameAccuracy), 1},
		"accuracy":              {score(NameAccuracy, p), 1},
		"area":                  {score(NameROCAUC, p), 6},
		"average_precision":     {score(NamePRAUC, p), 6},
		"log_loss":              {score(NameLogLoss, p), 1},
		"area_of_one_class":     {score("rocAuc[b]", p), 1},
		"interval_of_the_area":  {interval(NameROCAUC, p), 6},
		"interval_by_groups":    {interval(NameROCAUC, grouped), 6},
		"bootstrap":             {interval(NameCalibrationError, p), bootstrapSamples},
		"bootstrap_of_areas":    {interval(NamePRAUC, p), 6 + bootstrapSamples},
		"interval_of_one_class": {interval("prAuc[b]", p), bootstrapSamples},
		"interval_of_no_row":    {interval(NameROCAUC, Predictions{}), 1},
		"interval_of_one_area":  {func(ctx context.Context) error { _, err := AveragePrecisionInterval(ctx, 1, p); return err }, bootstrapSamples},
		"performance_interval":  {func(ctx context.Context) error { _, err := PerformanceInterval(ctx, NameLogLoss, p); return err }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			moments := []int{c.checks / 4, c.checks / 2, c.checks - 1}
			for left := range min(c.checks, 10) { // also between the first steps
				moments = append(moments, left)
			}
			for _, left := range moments {
				if err := c.compute(&testenv.CountedContext{Context: t.Context(), Left: left}); !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled after %d of at least %d checks: error %v", left, c.checks, err)
				}
			}
			if err := c.compute(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// must returns value. It panics if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
