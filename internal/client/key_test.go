package client_test

import (
	"errors"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestInvalidKeys checks that a response with a key that a shell would not read as one word is an
// error, because messages contain commands with the keys.
func TestInvalidKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		valid bool
	}{
		"uuid":         {`{"trainingJobKey":"0f4c7c4e-7f0a-4f9f-9a58-9a3b8f0a2c11"}`, true},
		"other":        {`{"trainingJobKey":"job_7.a","modelKey":17,"datasetKey":""}`, true},
		"command":      {`{"trainingJobKey":"K; touch /tmp/x #"}`, false},
		"flag":         {`{"trainingJobKey":"a","modelKey":"--force"}`, false},
		"substitution": {`{"trainingJobKey":"a","modelKey":"$(id)"}`, false},
		"long":         {`{"trainingJobKey":"` + strings.Repeat("k", 201) + `"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDeployment(t, respondJSON(200, c.body))
			job, err := client.Call(t.Context(), d.client(t, client.Options{}), api.GetTraining, &api.TrainingInput{TrainingJobKey: key})
			var refused *client.NetworkError
			switch {
			case c.valid && err != nil:
				t.Error(err)
			case !c.valid && (!errors.As(err, &refused) || refused.Kind != client.NotService):
				t.Errorf("%+v, %v: want an error about the invalid key", job, err)
			}
		})
	}
}

// TestInvalidKeysOfLists checks the keys of the items of lists.
func TestInvalidKeysOfLists(t *testing.T) {
	t.Parallel()
	d := newDeployment(t, respondJSON(200, `{"datasets":"[{\"datasetKey\":\"a\"},{\"datasetKey\":\"b; c\"}]","offset":0,"limit":10}`))
	_, err := client.Call(t.Context(), d.client(t, client.Options{}), api.ListDatasets, &api.ListDatasetsInput{})
	if err == nil || !strings.Contains(err.Error(), `"b; c"`) {
		t.Errorf("the error is %v, want one about the invalid key", err)
	}
}
