package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/term"
)

// errDryRunEnded cancels a command whose --dry-run cannot continue, because there is no
// simulated response.
var errDryRunEnded = errors.New("the dry run has ended")

// dryRunTransport is the transport of --dry-run. It records all requests. It sends read-only
// requests until the first request that would change something or download a result. For this and
// all later requests, it simulates the responses.
type dryRunTransport struct {
	next   http.RoundTripper
	base   string            // base URL of the service
	Paths  map[string]string // URL paths of operations that differ from the defaults, by operation ID
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	planned []plannedRequest
	// Simulated is set once a request was recorded and not sent.
	Simulated bool
}

// plannedRequest is a request in the output of --dry-run.
type plannedRequest struct {
	Method string `json:"method"`
	// URL is the URL of the request, or only its path if the service is in this process.
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	// Body is set for JSON requests.
	Body json.RawMessage `json:"body,omitempty"`
	File string          `json:"file,omitempty"`
	// Bytes is the size of the body; -1 if unknown.
	Bytes int64 `json:"bytes"`
	// Sent is set if the request was sent, because it changes nothing.
	Sent bool `json:"sent"`
}

// SetServer sets the address of the service. r may be nil.
func (r *dryRunTransport) SetServer(server string) {
	if r != nil {
		r.base = strings.TrimRight(strings.TrimSpace(server), "/")
	}
}

// Wrap makes r send requests with the transport next, and returns r.
func (r *dryRunTransport) Wrap(next http.RoundTripper) http.RoundTripper {
	r.next = next
	return r
}

// RoundTrip records a request, and sends it or simulates the response.
func (r *dryRunTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	op, ours := r.findOperation(req)
	reads := req.Method == http.MethodGet || req.Method == http.MethodHead || op == api.LogIn.ID
	r.mu.Lock()
	r.Simulated = r.Simulated || !reads || !ours || op == api.DownloadResult.ID || op == api.DownloadModel.ID
	sends := !r.Simulated
	r.mu.Unlock()
	if sends {
		recorded := req.Clone(req.Context())
		if req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			recorded.Body = body
		}
		r.record(recorded, true)
		return r.next.RoundTrip(req)
	}
	r.record(req, false)
	answer, known := r.simulatedResponses()[op]
	if !known {
		r.cancel(errDryRunEnded)
		return nil, context.Canceled
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}, nil
}

func (r *dryRunTransport) record(req *http.Request, sent bool) {
	s := client.ConsumeAndSummarize(req)
	p := plannedRequest{
		Method: s.Method, URL: s.URL, Headers: map[string]string{},
		Body: json.RawMessage(s.JSON), File: s.File, Bytes: s.Bytes, Sent: sent,
	}
	for name := range s.Header {
		p.Headers[name] = s.Header.Get(name)
	}
	if path, ok := strings.CutPrefix(p.URL, config.EmbeddedURL); ok { // a service in this process has neither an address nor an account
		p.URL = path
		delete(p.Headers, "Authorization")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.planned); n > 0 && p.Method == http.MethodGet && r.planned[n-1].URL == p.URL {
		return // the same request again, as when polling
	}
	r.planned = append(r.planned, p)
}

// findOperation returns the ID of a request's operation, or "" if it is unknown. The result
// isForService reports whether the request goes to the service.
func (r *dryRunTransport) findOperation(req *http.Request) (id string, isForService bool) {
	address := req.URL.Scheme + "://" + req.URL.Host + req.URL.Path
	path, isForService := strings.CutPrefix(address, r.base)
	for _, op := range api.Operations() {
		template := op.Path
		if override, ok := r.Paths[op.ID]; ok {
			template = override
		}
		if isForService && op.Method == req.Method && matchesTemplate(template, path) {
			return op.ID, isForService
		}
	}
	return "", isForService
}

// matchesTemplate reports whether a path matches a template such as /datasets/{datasetKey}.
func matchesTemplate(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && (!strings.HasPrefix(want[i], "{") || got[i] == "") {
			return false
		}
	}
	return true
}

// The keys of the objects in simulated responses.
const (
	simulatedDatasetKey    = "DATASET_KEY"
	simulatedTrainingKey   = "TRAINING_KEY"
	simulatedModelKey      = "MODEL_KEY"
	simulatedPredictionKey = "PREDICTION_KEY"
)

// simulatedResponses returns the simulated responses by operation ID. A dry run ends at an
// operation that has no simulated response.
func (r *dryRunTransport) simulatedResponses() map[string]any {
	best := 1.0
	entry := api.DatasetEntry{DatasetKey: simulatedDatasetKey, Status: api.DatasetCompleted}
	training := api.Training{
		TrainingJobKey: simulatedTrainingKey, DatasetKey: simulatedDatasetKey, ModelKey: simulatedModelKey,
		Status: api.TrainingCompleted, AchievedPerformance: &best,
	}
	prediction := api.Prediction{
		PredictionKey: simulatedPredictionKey, ModelKey: simulatedModelKey, DatasetKey: simulatedDatasetKey,
		Status:              api.PredictionCompleted,
		PredictionResultURL: r.base + strings.Replace(api.DownloadResult.Path, "{predictionKey}", simulatedPredictionKey, 1),
	}
	return map[string]any{
		api.CreateDataset.ID: api.CreatedDataset{
			DatasetKey: simulatedDatasetKey, Status: api.DatasetPending,
			DatasetUploadInfo: api.UploadInfo{UploadURL: r.base + strings.Replace(api.UploadData.Path, "{datasetKey}", simulatedDatasetKey, 1)},
		},
		api.AddData.ID:               entry,
		api.UploadData.ID:            entry,
		api.GetDataset.ID:            api.Dataset{DatasetEntry: entry},
		api.DeleteDataset.ID:         api.None{},
		api.CreateTraining.ID:        api.CreatedTraining{TrainingJobKey: simulatedTrainingKey, DatasetKey: simulatedDatasetKey, Status: api.TrainingPending},
		api.GetTraining.ID:           training,
		api.GetTrainingProgress.ID:   api.TrainingProgress{Status: api.TrainingCompleted, Jobs: []api.AlgorithmRun{}},
		api.CancelTraining.ID:        training,
		api.DeleteTraining.ID:        api.None{},
		api.GetModel.ID:              api.Model{ModelKey: simulatedModelKey, DatasetKey: simulatedDatasetKey, TrainingJobKey: simulatedTrainingKey, Version: 1},
		api.SetModelState.ID:         api.Model{ModelKey: simulatedModelKey, DatasetKey: simulatedDatasetKey, TrainingJobKey: simulatedTrainingKey, Version: 1},
		api.DeleteModel.ID:           api.None{},
		api.CreatePrediction.ID:      api.CreatedPrediction{PredictionKey: simulatedPredictionKey, Status: api.PredictionPending},
		api.GetPrediction.ID:         prediction,
		api.GetPredictionProgress.ID: api.PredictionProgress{PredictionKey: simulatedPredictionKey, Status: api.PredictionCompleted},
		api.DeletePrediction.ID:      api.None{},
	}
}

// IsDryRun reports whether --dry-run is set.
func IsDryRun(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup("dry-run")
	return flag != nil && flag.Value.String() == "true"
}

// DryRunResultAnnotation is the annotation of commands whose --dry-run prints the planned
// result instead of the requests.
const DryRunResultAnnotation = "dryRunResult"

// DryRunPrintsResult reports whether cmd has the DryRunResultAnnotation.
func DryRunPrintsResult(cmd *cobra.Command) bool {
	return cmd.Annotations[DryRunResultAnnotation] != ""
}

// CheckDryRunFlags returns a usage error if an output flag is set that has no effect with
// --dry-run.
func CheckDryRunFlags(cmd *cobra.Command) error {
	if !IsDryRun(cmd) || DryRunPrintsResult(cmd) {
		return nil
	}
	for _, name := range []string{"fields", "jq", "template", "csv", "tsv", "no-header", "quiet", "verbose"} {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed {
			return exit.Usagef("--%s has no effect with --dry-run", name).WithHint("--dry-run prints the requests as text, or as JSON with --json")
		}
	}
	return nil
}

// StartDryRun discards the command's output and returns the transport for --dry-run.
// PrintDryRun later prints the recorded requests.
func (f *Factory) StartDryRun() *dryRunTransport {
	r := &dryRunTransport{cancel: f.Cancel}
	f.DryRun = r
	f.Console.Out, f.Console.Err = io.Discard, io.Discard
	return r
}

// PrintDryRun prints the recorded requests.
func (f *Factory) PrintDryRun() error {
	r := f.DryRun
	if f.WantsJSON() {
		b, err := term.EncodeJSON(r.planned)
		if err == nil {
			_, err = f.Console.Out.Write(b)
		}
		return err
	}
	var b strings.Builder
	if r.base == config.EmbeddedURL && len(r.planned) > 0 {
		b.WriteString("to the embedded service:\n")
	}
	for _, p := range r.planned {
		fmt.Fprintf(&b, "%s %s\n", p.Method, p.URL)
		for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
			fmt.Fprintf(&b, "    %s: %s\n", name, p.Headers[name])
		}
		switch {
		case p.Sent:
			b.WriteString("    (sent, because it changes nothing)\n")
		case len(p.Body) > 0:
			fmt.Fprintf(&b, "    %s\n", p.Body)
		case p.File != "":
			fmt.Fprintf(&b, "    (a form with %s: %s)\n", p.File, term.FormatBytes(p.Bytes))
		case p.Bytes > 0:
			fmt.Fprintf(&b, "    (%s)\n", term.FormatBytes(p.Bytes))
		}
	}
	_, err := io.WriteString(f.Console.Out, term.EscapeLines(b.String()))
	return err
}
