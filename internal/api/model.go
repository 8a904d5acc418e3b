package api

import "strconv"

// ModelInput identifies a model.
type ModelInput struct {
	ModelKey string `path:"modelKey" format:"uuid" doc:"The model's key."`
}

// ModelReportInput is the request of [GetModelReport].
type ModelReportInput struct {
	ModelInput
	Summary bool `query:"summary" doc:"Leave out the longest parts of the report: importances, confusion and the member curve of each algorithm are then null, and partialDependence, curves and the member seconds of each algorithm are absent."`
}

// Model is the response of [GetModel].
type Model struct {
	ModelKey            string  `json:"modelKey"`
	Version             int     `json:"version" doc:"Number of the model within its dataset, from 1."`
	DatasetKey          string  `json:"datasetKey"`
	TrainingJobKey      string  `json:"trainingJobKey"`
	AchievedPerformance Decimal `json:"achievedPerformance" doc:"A string that holds a decimal number: the performance on validation rows. null (an extension) if there were no validation rows, or if the metric cannot be computed on them."`
	CreatedOn           string  `json:"createdOn"`
	Algorithm           string  `json:"algorithm,omitempty" doc:"The winning algorithm, or BLEND."`
	Champion            bool    `json:"champion" doc:"Whether the model is the champion of its series. This is the promoted model, if there is one. Otherwise only models with the dataset, the metric, the class weights, the groupColumn and the timeColumn of the newest model are compared: the champion is the newest accepted one or, if none is accepted, the one with the highest achievedPerformance. Rejected models are ignored. Cancelled models are ignored, too, unless the series has no other model."`
	ModelExtensions
}

// ModelEntry is a model in a list.
type ModelEntry struct {
	ModelKey            string  `json:"modelKey"`
	TrainingJobKey      string  `json:"trainingJobKey,omitempty" doc:"Key of the race that trained the model. An extension."`
	Version             int     `json:"version"`
	AchievedPerformance Decimal `json:"achievedPerformance" doc:"A string that holds a decimal number: the performance on validation rows. null (an extension) if there were no validation rows, or if the metric cannot be computed on them."`
	Algorithm           string  `json:"algorithm,omitempty"`
	Champion            bool    `json:"champion"`
	CreatedOn           string  `json:"createdOn,omitempty"`
	CreatedMicros       int64   `json:"createdMicros,omitempty" doc:"createdOn as a Unix time in microseconds, which orders objects of the same second. An extension."`
	ModelExtensions
}

// ModelExtensions has the members of a model that this service adds to the published API. They are
// zero in the responses of other services.
type ModelExtensions struct {
	Series string `json:"series,omitempty" doc:"Name of the series to which its dataset belongs."`
	// AlgorithmName is empty for BLEND.
	AlgorithmName string `json:"algorithmName,omitempty" doc:"Kind of algorithm, such as neural network; absent for BLEND."`
	// SeriesVersion is the number of the model in its series, from 1. The number of a deleted model
	// is not reused.
	SeriesVersion int    `json:"seriesVersion,omitempty" doc:"Number of the model within its series, from 1."`
	Metric        string `json:"metric,omitempty" doc:"The metric of achievedPerformance and testPerformance."`
	// ClassWeights is zero if the weights were equal.
	ClassWeights ClassWeights `json:"classWeights,omitzero" doc:"The class weights of the race, as in NewTraining; absent if all are equal."`
	GroupColumn  string       `json:"groupColumn,omitempty" doc:"The groupColumn of the race; absent if it had none."`
	TimeColumn   string       `json:"timeColumn,omitempty" doc:"The timeColumn of the race; absent if it had none."`
	// TestPerformance is nil if it was not measured.
	TestPerformance *float64 `json:"testPerformance,omitempty" doc:"Performance on test rows, which were used for nothing else."`
	// AchievedInterval and TestInterval are nil if they are unknown.
	AchievedInterval *Interval `json:"achievedInterval,omitempty" doc:"95 % confidence interval of achievedPerformance."`
	TestInterval     *Interval `json:"testInterval,omitempty" doc:"95 % confidence interval of testPerformance."`
	Bytes            int64     `json:"bytes,omitempty" doc:"Size of the model's file."`
	Cancelled        bool      `json:"cancelled,omitempty" doc:"true if the race was cancelled, so the training of the model is incomplete. Absent otherwise."`
	// State is empty if the scores decide whether the model is the champion.
	State          string `json:"state,omitempty" doc:"promoted: the model was made the champion of its series. accepted: the model ranks above the other models of its dataset, because it met --beat champion. rejected: the model cannot be the champion, because it missed a requirement. Absent otherwise."`
	ChampionReason string `json:"championReason,omitempty" doc:"Why the model is the champion: promoted, accepted or best. Or why it is not: rejected, cancelled, another-promoted (another model is promoted), other-dataset (than the newest model), other-metric (or other class weights), other-division (another groupColumn or timeColumn), or not-best (another model is accepted, has a higher score, or has the same score and is older)."`
}

// Reference returns the text that names the model on the command line, such as NAME@v3.
func (m *ModelExtensions) Reference() string { return m.Series + "@v" + strconv.Itoa(m.SeriesVersion) }

// ModelPage is the response of [ListModelsOfDataset].
type ModelPage struct {
	Models []ModelEntry `json:"models"`
	Page
}
