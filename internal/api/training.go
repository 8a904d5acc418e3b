package api

import "strings"

// Bounds of a training job's parameters.
const (
	MaxScalingFactor        = 499
	MaxTimeLimitSeconds     = 604_800
	DefaultTimeLimitSeconds = 3600
)

// The states of a training job and of each algorithm's own job:
// PENDING → RUNNING → COMPLETED | NOT_COMPLETED | TIMED_OUT | FAILED, and
// PENDING or RUNNING → CANCELLED.
const (
	TrainingPending      = "PENDING"
	TrainingRunning      = "RUNNING"
	TrainingCompleted    = "COMPLETED"     // an algorithm reached the threshold, or, without a threshold, all stopped improving
	TrainingNotCompleted = "NOT_COMPLETED" // every algorithm stopped improving below the threshold
	TrainingTimedOut     = "TIMED_OUT"     // the time limit was reached first
	TrainingFailed       = "FAILED"        // every algorithm failed
	TrainingCancelled    = "CANCELLED"
)

// The metrics that a race can use, besides rocAuc, prAuc or f1 of one class, as in f1[yes]. The
// performance in a race is the value of the metric. Only for logLoss it is exp(−logLoss), because a
// smaller log loss is better.
const (
	MetricAccuracy         = "accuracy"
	MetricBalancedAccuracy = "balancedAccuracy"
	MetricMacroF1          = "macroF1"
	MetricROCAUC           = "rocAuc"
	MetricPRAUC            = "prAuc"
	MetricLogLoss          = "logLoss"
)

// RaceMetrics returns the metrics that a race can use, except metrics of one class.
func RaceMetrics() []string {
	return []string{MetricAccuracy, MetricBalancedAccuracy, MetricMacroF1, MetricROCAUC, MetricPRAUC, MetricLogLoss}
}

// ReportMetrics returns the metrics of all classes together that are in the report of a model:
// RaceMetrics and the metrics of calibration.
func ReportMetrics() []string { return append(RaceMetrics(), MetricBrier, MetricCalibrationError) }

// IsLoss reports whether a smaller value of the metric is better.
func IsLoss(metric string) bool {
	switch metric {
	case MetricLogLoss, MetricBrier, MetricCalibrationError:
		return true
	}
	return false
}

// PerformanceName returns the name that is displayed for a performance: "exp(-logLoss)" for
// logLoss, and the name of the metric for every other metric.
func PerformanceName(metric string) string {
	if metric == MetricLogLoss {
		return "exp(-logLoss)"
	}
	return metric
}

// The values of the parameter effort, which says how thoroughly a race trains. The empty string
// means EffortDefault.
const (
	EffortFast    = "fast"
	EffortDefault = "default"
	EffortBest    = "best"
)

// Efforts returns the values of effort, from the fastest race to the most thorough.
func Efforts() []string { return []string{EffortFast, EffortDefault, EffortBest} }

// Metrics of calibration, only in reports. Smaller is better.
const (
	MetricBrier            = "brier"
	MetricCalibrationError = "ece"
)

// MetricByAlias returns the metric that other programs call name: "auc" → rocAuc. It ignores case
// and separators. If name is unknown, it returns "".
func MetricByAlias(name string) string {
	switch strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name)) {
	case "accuracy", "acc":
		return MetricAccuracy
	case "balancedaccuracy", "balanced", "bac":
		return MetricBalancedAccuracy
	case "macrof1", "f1", "f1macro", "f1score", "fscore":
		return MetricMacroF1
	case "rocauc", "auc", "auroc", "roc":
		return MetricROCAUC
	case "prauc", "auprc", "averageprecision", "ap", "aucpr":
		return MetricPRAUC
	case "logloss", "log", "crossentropy", "loss":
		return MetricLogLoss
	}
	return ""
}

// TrainingInput identifies a training job.
type TrainingInput struct {
	TrainingJobKey string `path:"trainingJobKey" format:"uuid" doc:"The training job's key."`
}

// TrainingProgressInput is the request of [GetTrainingProgress].
type TrainingProgressInput struct {
	TrainingInput
	History bool `query:"history" doc:"If true, the response contains all performances since the start of the race."`
}

// ListTrainingsInput is the request of [ListTrainings].
type ListTrainingsInput struct {
	PageInput
	ParentOnly bool `query:"parentOnly" doc:"Omit the jobs of single algorithms."`
	ActiveOnly bool `query:"activeOnly" doc:"Only jobs that are PENDING or RUNNING. An extension."`
}

// ListTrainingsOfDatasetInput is the request of [ListTrainingsOfDataset].
type ListTrainingsOfDatasetInput struct {
	DatasetPageInput
	ParentOnly bool `query:"parentOnly" doc:"Omit the jobs of single algorithms. An extension."`
}

// CreateTrainingInput is the request of [CreateTraining].
type CreateTrainingInput struct {
	DatasetInput
	Body NewTraining
}

// NewTraining is the request to start a race. One of PerformanceThreshold and TargetPerformance is
// required; they are two names of the same parameter.
type NewTraining struct {
	ScalingFactor        int       `json:"scalingFactor" minimum:"0" maximum:"499" doc:"Capacity of the tree algorithms BSIX01, MSIX01, BFIF01 and MFIF01, in leaves. 0 lets the service choose; 4 to 400 is recommended."`
	PerformanceThreshold Threshold `json:"performanceThreshold,omitzero" required:"false" doc:"The race ends when an algorithm reaches this performance on validation rows, which it was not trained on. With null (an extension), every algorithm trains until it no longer improves, and the model is a blend of them."`
	TargetPerformance    Threshold `json:"targetPerformance,omitzero" required:"false" doc:"Another name of performanceThreshold."`

	Metric           string `json:"metric,omitempty" doc:"The metric of performances: accuracy, balancedAccuracy, macroF1, rocAuc, or one of these extensions: prAuc (average precision), logLoss, or, for one class such as yes, f1[yes], rocAuc[yes] or prAuc[yes]. Defaults to accuracy. For logLoss, the performance is exp(−log loss), the geometric mean of the probabilities of the true classes. It ranges from 0 to 1; higher is better."`
	TimeLimitSeconds *int   `json:"timeLimitSeconds,omitempty" minimum:"1" maximum:"604800" doc:"Time limit of the race, counted from the start of the race; defaults to 3600."`
	// FinishWithinSeconds is a deadline that includes the time in the queue.
	FinishWithinSeconds *float64 `json:"finishWithinSeconds,omitempty" minimum:"0" maximum:"604800" doc:"Time limit of the race, counted from this request, including the time in the queue. It may be fractional. timeLimitSeconds applies as well. An extension."`

	GroupColumn string `json:"groupColumn,omitempty" doc:"Column whose equal cells mark rows that belong together, such as the rows of one customer. Rows that belong together are never divided between training and scored rows. The column is not used as a feature. An extension."`
	TimeColumn  string `json:"timeColumn,omitempty" doc:"Column of numbers or dates. Test and validation rows are later than the rows trained on. An extension."`

	Seed       *int64   `json:"seed,omitempty" minimum:"0" doc:"Seed of the random numbers, by default 1. The same data, parameters and seed produce the same model, with the same program and kind of processor."`
	Algorithms []string `json:"algorithms,omitempty" minItems:"1" maxItems:"4" doc:"Which algorithms race. By default all four race or, if effort is fast, the two kinds of boosting."`

	Effort string `json:"effort,omitempty" enum:"fast,default,best" doc:"How much the race trains. fast trains on at most three folds, or on all if the rows are divided by time. best trains the neural network longer. An extension."`

	ClassWeights ClassWeights `json:"classWeights,omitzero" required:"false" doc:"What a wrong prediction costs, by the true class of the row. The value is an object that maps labels to numbers; a label that is not listed has the weight 1. It can also be the string \"balanced\", which weights each class inversely to its number of rows. The class with the highest product of probability and weight is predicted, and the metrics accuracy, balancedAccuracy, macroF1 and f1 are computed from these predictions. Probabilities are not multiplied by the weights. An extension."`

	Monotone Monotone `json:"monotone,omitempty" doc:"An object that maps names of numeric columns to directions, increasing or decreasing. With increasing, the probability of the second class never falls if the number in this column grows and all other columns stay equal. With decreasing, this probability never rises. The label must have two classes. The second class is the larger number or, if the labels are not numbers, the later label in byte order, for example yes if the labels are no and yes. The neural network does not support directions and does not race. An extension."`
}

// CreatedTraining is the response of [CreateTraining].
type CreatedTraining struct {
	TrainingJobKey         string `json:"trainingJobKey" doc:"The new training job's key."`
	DatasetKey             string `json:"datasetKey"`
	Status                 string `json:"status" doc:"PENDING"`
	TrainingJobProgressURL string `json:"trainingJobProgressUrl" doc:"URL of the progress of the race."`
}

// Training is a training job: a race, or the training of one algorithm in a race.
// AchievedPerformance is the score on validation rows, TrainingPerformance on the rows that the
// algorithm was trained on, and TestPerformance on rows that were used for nothing else.
type Training struct {
	TrainingJobKey       string       `json:"trainingJobKey"`
	DatasetKey           string       `json:"datasetKey"`
	DatasetName          string       `json:"datasetName"`
	Status               string       `json:"status" doc:"PENDING, RUNNING, COMPLETED, NOT_COMPLETED, TIMED_OUT, FAILED or CANCELLED"`
	Outcome              string       `json:"outcome,omitempty" doc:"A more exact status. reached: the race reached its threshold. stopped: the run ended because another run won the race. done: a race without a threshold no longer improved. The other values are pending, interrupted, running, below-threshold, time-limit, cancelled and failed. An extension."`
	ScalingFactor        int          `json:"scalingFactor"`
	TargetPerformance    *float64     `json:"targetPerformance" doc:"The threshold; null (an extension) if the race has none."`
	ModelKey             string       `json:"modelKey,omitempty" doc:"Key of the best model, once there is one."`
	AchievedPerformance  *float64     `json:"achievedPerformance,omitempty" doc:"Performance on validation rows, which the algorithm was not trained on."`
	LogLoss              *float64     `json:"logLoss,omitempty" doc:"Log loss in nats of the step whose performance is achievedPerformance, on the same rows; smaller is better. An extension."`
	TrainingPerformance  *float64     `json:"trainingPerformance,omitempty" doc:"Performance on the rows that the model was trained on."`
	TestPerformance      *float64     `json:"testPerformance,omitempty" doc:"Performance on test rows, which were used for nothing else."`
	CreatedOn            string       `json:"createdOn"`
	Metric               string       `json:"metric" doc:"The metric of the performances, as in the request."`
	TimeLimitSeconds     int          `json:"timeLimitSeconds,omitempty" doc:"The time limit of the race."`
	Seed                 *int64       `json:"seed,omitempty" doc:"Seed of the random numbers. An extension."`
	GroupColumn          string       `json:"groupColumn,omitempty" doc:"Column whose equal cells mark rows that belong together; absent if there is no such column. An extension."`
	TimeColumn           string       `json:"timeColumn,omitempty" doc:"Column of times. The scored rows are later than the rows trained on. Absent if there is no such column. An extension."`
	Effort               string       `json:"effort,omitempty" doc:"How much the race trains: fast or best; absent for the default. An extension."`
	ClassWeights         ClassWeights `json:"classWeights,omitzero" doc:"The class weights of the request; absent if all are equal. An extension."`
	Monotone             Monotone     `json:"monotone,omitempty" doc:"The monotone columns of the request; absent if the request has no monotone columns. An extension."`
	FailureReason        string       `json:"failureReason,omitempty"`
	StartedOn            string       `json:"startedOn,omitempty"`
	FinishedOn           string       `json:"finishedOn,omitempty"`
	ParentTrainingJobKey string       `json:"parentTrainingJobKey,omitempty" doc:"Key of the race, if this job is the run of one algorithm in a race."`
	Algorithm            string       `json:"algorithm,omitempty" doc:"The algorithm of the model, or of the run."`
	AlgorithmName        string       `json:"algorithmName,omitempty" doc:"Kind of algorithm, such as neural network; absent for BLEND. An extension."`
	QueuedBehind         int          `json:"queuedBehind,omitempty" doc:"While PENDING: number of races that are running or will begin before this one."`
	Interrupted          bool         `json:"interrupted,omitempty" doc:"While PENDING: true if the process that ran the race has ended and no other process will continue automatically."`
	WaitingFor           string       `json:"waitingFor,omitempty" doc:"Why the job waits. worker: no process runs jobs, so the job waits until a worker is started. space: the disk is full, so the job may be unable to begin or to end until space is freed; reported only if the machine or container that answers also runs the job or, if the job is queued, all workers. Absent otherwise. An extension."`
}

// TrainingPage is the response of the lists of training jobs.
type TrainingPage struct {
	TrainingJobs []Training `json:"trainingJobs"`
	Page
}

// TrainingProgress is the response of [GetTrainingProgress].
type TrainingProgress struct {
	Status       string         `json:"status" doc:"The race's state."`
	Outcome      string         `json:"outcome,omitempty" doc:"The race's outcome, as in a training job. An extension."`
	Jobs         []AlgorithmRun `json:"jobs" doc:"The job of each algorithm."`
	QueuedBehind int            `json:"queuedBehind,omitempty" doc:"While PENDING: number of races that are running or will begin before this one."`
	Interrupted  bool           `json:"interrupted,omitempty" doc:"While PENDING: true if the process that ran the race has ended and no other process will continue automatically."`
	WaitingFor   string         `json:"waitingFor,omitempty" doc:"Why the job waits. worker: no process runs jobs, so the job waits until a worker is started. space: the disk is full, so the job may be unable to begin or to end until space is freed; reported only if the machine or container that answers also runs the job or, if the job is queued, all workers. Absent otherwise. An extension."`
}

// AlgorithmRun is the progress of one algorithm.
type AlgorithmRun struct {
	TrainingJobKey    string  `json:"trainingJobKey"`
	Algorithm         string  `json:"algorithm" doc:"The algorithm: B… for two classes, M… for more."`
	AlgorithmName     string  `json:"algorithmName,omitempty" doc:"As in Training."`
	Status            string  `json:"status" doc:"One of the states of a training job. NOT_COMPLETED can also mean that another algorithm won."`
	Outcome           string  `json:"outcome,omitempty" doc:"How the algorithm ended. The values are those of the member outcome of a training job. An extension."`
	LatestPerformance float64 `json:"latestPerformance" doc:"Latest performance on validation rows."`
	// RecentPerformances are the performances of the last steps, at most five, oldest first. The
	// last of them equals LatestPerformance.
	RecentPerformances []float64 `json:"recentPerformances" doc:"Up to five performances, oldest first; the last is latestPerformance."`
	// KeptPerformance and LogLoss are nil before the first score, and if the
	// service does not report them.
	KeptPerformance *float64 `json:"keptPerformance,omitempty" doc:"Performance of the best step so far. If the race ended now, the model would be that of this step. The best step is chosen by performance and log loss, so another step may have a higher performance. An extension."`
	LogLoss         *float64 `json:"logLoss,omitempty" doc:"Log loss of the best step on validation rows, in nats; smaller is better. An extension."`
	// Steps is the number of training steps so far, each of which has a performance. It is 0 if
	// the service does not report it.
	Steps int `json:"steps,omitempty" doc:"Number of training steps so far. Each step has a performance."`
	// Performances has the performances of all steps so far, if they were requested.
	Performances []float64 `json:"performances,omitempty" doc:"All performances since the start, oldest first, if history was requested."`
}
