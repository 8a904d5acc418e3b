package api

// The states of a prediction: PENDING → RUNNING → COMPLETED | FAILED | TIMEOUT.
const (
	PredictionPending   = "PENDING"
	PredictionRunning   = "RUNNING"
	PredictionCompleted = "COMPLETED"
	PredictionFailed    = "FAILED"
	PredictionTimeout   = "TIMEOUT"
)

// PredictionInput identifies a prediction.
type PredictionInput struct {
	PredictionKey string `path:"predictionKey" format:"uuid" doc:"The prediction's key."`
}

// ResultInput has the parameters of the signed URL of a prediction's result.
type ResultInput struct {
	PredictionInput
	Expires   int64  `query:"expires" doc:"When the URL expires, in Unix seconds."`
	Signature string `query:"signature" doc:"Shows that the service issued the URL."`
}

// MaxReasons is the maximum number of reasons for each row of a result. A reason is a column that
// explains the prediction.
const MaxReasons = 100

// ReasonsInput has the number of reasons, an optional parameter of operations that create a
// prediction.
type ReasonsInput struct {
	Reasons int64 `query:"reasons" minimum:"0" maximum:"100" doc:"How many reasons to add to each row of the result, as columns reason_1, reason_2, … (an extension). Default 0."`
}

// NewPrediction is the input of [CreatePrediction].
type NewPrediction struct {
	ModelInput
	ReasonsInput
	// FileName is the name of the CSV in the form. It is set while the body is read.
	FileName string `json:"-"`
}

// PredictionFormInput is the input of [CreatePredictionByForm], without the form.
type PredictionFormInput struct {
	// ModelKey is empty if only the form has the key.
	ModelKey string `query:"modelKey" format:"uuid" doc:"The model's key. Required unless it is in the form."`
	ReasonsInput
}

// CreatedPrediction is the response of [CreatePrediction] and
// [CreatePredictionByForm].
type CreatedPrediction struct {
	PredictionKey                 string `json:"predictionKey" doc:"The new prediction's key."`
	Status                        string `json:"status" doc:"PENDING"`
	PredictionCreationProgressURL string `json:"predictionCreationProgressUrl" doc:"URL of the progress of the prediction."`
}

// Prediction is the response of [GetPrediction]. TargetPerformance and AchievedPerformance are the
// performances of the training job that created the model.
type Prediction struct {
	PredictionKey       string   `json:"predictionKey"`
	ModelKey            string   `json:"modelKey"`
	DatasetKey          string   `json:"datasetKey"`
	Status              string   `json:"status" doc:"PENDING, RUNNING, COMPLETED, FAILED or TIMEOUT"`
	TargetPerformance   *float64 `json:"targetPerformance,omitempty" doc:"The training job's threshold."`
	AchievedPerformance *float64 `json:"achievedPerformance,omitempty" doc:"The performance of the training job, on validation rows."`
	// PredictionResultURL is set once the prediction is COMPLETED.
	PredictionResultURL string `json:"predictionResultUrl,omitempty" doc:"Where to download the result, once COMPLETED; valid for one hour."`
	CreatedOn           string `json:"createdOn,omitempty"`
	CreatedMicros       int64  `json:"createdMicros,omitempty" doc:"createdOn as a Unix time in microseconds, which orders objects of the same second. An extension."`
	FailureReason       string `json:"failureReason,omitempty"`
	Rows                int64  `json:"rows,omitempty" doc:"Number of predicted rows."`
	Bytes               int64  `json:"bytes,omitempty" doc:"Size of the stored file in bytes: the blind file, or the result once the prediction has ended."`
	Reasons             int64  `json:"reasons,omitempty" doc:"How many reasons each row of the result has; absent if the rows have no reasons."`
	// Blind is nil if the service does not report it.
	Blind       *InputFile `json:"blind,omitempty" doc:"The uploaded blind file, which is deleted once the prediction has ended. An extension."`
	Interrupted bool       `json:"interrupted,omitempty" doc:"While PENDING: true if the process that was computing the prediction has ended and no other process will continue automatically."`
	WaitingFor  string     `json:"waitingFor,omitempty" doc:"Why the job waits. worker: no process runs jobs, so the job waits until a worker is started. space: the disk is full, so the job may be unable to begin or to end until space is freed; reported only if the machine or container that answers also runs the job or, if the job is queued, all workers. Absent otherwise. An extension."`
}

// InputFile describes an uploaded file.
type InputFile struct {
	FileName string `json:"fileName,omitempty" doc:"Name of the file, if it is known."`
	Bytes    int64  `json:"bytes" doc:"Size of the file in bytes."`
	SHA256   string `json:"sha256" doc:"SHA-256 of the file, in hex."`
}

// PredictionProgress is the response of [GetPredictionProgress].
type PredictionProgress struct {
	PredictionKey string `json:"predictionKey"`
	Status        string `json:"status" doc:"State of the prediction, as in Prediction."`
	// Rows is the number of rows predicted so far.
	Rows          int64  `json:"rows" doc:"Number of rows that have been predicted."`
	FailureReason string `json:"failureReason,omitempty"`
}

// PredictionPage is the response of the lists of predictions.
type PredictionPage struct {
	Predictions []Prediction `json:"predictions"`
	Page
}
