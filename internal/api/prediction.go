package api

// The states of a prediction: PENDING → RUNNING → COMPLETED | FAILED | TIMEOUT.
const (
	PredictionPending   = "PENDING"
	PredictionRunning   = "RUNNING"
	PredictionCompleted = "COMPLETED"
	PredictionFailed    = "FAILED"
	PredictionTimeout   = "TIMEOUT"
)

// PredictionInput names a prediction.
type PredictionInput struct {
	PredictionKey string `path:"predictionKey" format:"uuid" doc:"The prediction's key."`
}

// ResultInput is a prediction's signed result address.
type ResultInput struct {
	PredictionInput
	Expires   int64  `query:"expires" doc:"When the address expires, in Unix seconds."`
	Signature string `query:"signature" doc:"Proves that the service made the address."`
}

// CreatedPrediction answers [CreatePrediction] and [CreatePredictionByForm].
type CreatedPrediction struct {
	PredictionKey                 string `json:"predictionKey" doc:"The new prediction's key."`
	Status                        string `json:"status" doc:"PENDING"`
	PredictionCreationProgressURL string `json:"predictionCreationProgressUrl" doc:"Where to read how it stands."`
}

// Prediction answers [GetPrediction]. The performances are those of the
// training job that made the model.
type Prediction struct {
	PredictionKey       string   `json:"predictionKey"`
	ModelKey            string   `json:"modelKey"`
	DatasetKey          string   `json:"datasetKey"`
	Status              string   `json:"status" doc:"PENDING, RUNNING, COMPLETED, FAILED or TIMEOUT"`
	TargetPerformance   *float64 `json:"targetPerformance,omitempty" doc:"The training job's threshold."`
	AchievedPerformance *float64 `json:"achievedPerformance,omitempty" doc:"The training job's, on validation rows."`
	// PredictionResultURL is there once the prediction is COMPLETED.
	PredictionResultURL string `json:"predictionResultUrl,omitempty" doc:"The result, for an hour; there once COMPLETED."`
	CreatedOn           string `json:"createdOn,omitempty"`
	FailureReason       string `json:"failureReason,omitempty"`
	Rows                int64  `json:"rows,omitempty" doc:"Rows predicted."`
	Bytes               int64  `json:"bytes,omitempty" doc:"Size of the files kept for it: the result, and the blind file until it has ended."`
	Interrupted         bool   `json:"interrupted,omitempty" doc:"While PENDING: the process that made it or was to has ended, and no other takes it up unasked."`
}

// PredictionProgress answers [GetPredictionProgress].
type PredictionProgress struct {
	PredictionKey string `json:"predictionKey"`
	Status        string `json:"status" doc:"As in Prediction."`
	// Rows is how many rows are done.
	Rows          int64  `json:"rows" doc:"Rows done."`
	FailureReason string `json:"failureReason,omitempty"`
}

// PredictionPage answers the lists of predictions.
type PredictionPage struct {
	Predictions []Prediction `json:"predictions"`
	Page
}
