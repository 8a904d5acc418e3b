package receipt_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/receipt"
)

// TestIgnoredOptions describes two models of one race. One was trained with all options. The
// other is from a worker of an earlier version, which ignored the options unknown to it.
func TestIgnoredOptions(t *testing.T) {
	for _, tt := range []struct{ name, report, want string }{
		{"applied", `,"classWeights":{"no":1,"yes":5},"monotone":{"size":"increasing"}`, "--metric auc --class-weight yes=5 --monotone size=increasing"},
		{"ignored", "", "--metric auc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			responses := map[string]string{
				"/api/v1/models/m":        `{"modelKey":"m","datasetKey":"d","trainingJobKey":"t"}`,
				"/api/v1/models/m/report": `{"modelKey":"m","metric":"auc","refitInterrupted":true` + tt.report + `}`,
				"/api/v1/training/t":      `{"trainingJobKey":"t","metric":"auc","outcome":"threshold","timeLimitSeconds":60,"classWeights":{"yes":5},"monotone":{"size":"increasing"}}`,
				"/api/v1/datasets/d":      `{"datasetKey":"d","status":"COMPLETED","columns":[{"name":"size"}]}`,
			}
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				response, ok := responses[r.URL.Path]
				if !ok {
					t.Errorf("request for %s", r.URL.Path)
				}
				_, _ = fmt.Fprint(w, response)
			}))
			defer service.Close()
			c, err := client.New(client.Options{BaseURL: service.URL, Token: "token"})
			if err != nil {
				t.Fatal(err)
			}
			r := receipt.New(&api.Prediction{ModelKey: "m"})
			r.DescribeModel(t.Context(), c)
			if r.Race == nil || strings.Join(r.Race.RunFlags(), " ") != tt.want {
				t.Errorf("the race is %+v: want the flags %s", r.Race, tt.want)
			}
			if !r.Race.RefitInterrupted {
				t.Error("the receipt does not say that the refit was interrupted")
			}
			if r.Race.TimeLimitSeconds != 60 || !slices.Equal(r.Race.Features, []string{"size"}) {
				t.Errorf("the race has the time limit %d and the features %v", r.Race.TimeLimitSeconds, r.Race.Features)
			}
		})
	}
}
