package api

// The states of a model, which decide whether it can be the champion of its series.
const (
	ModelPromoted  = "promoted"  // the model is the champion
	ModelAccepted  = "accepted"  // the model ranks above the other models of its dataset, even if their scores are higher
	ModelRejected  = "rejected"  // the model cannot be the champion, unless it is promoted later
	ModelAutomatic = "automatic" // the scores decide; reported as an empty state
)

// The values of ModelExtensions.ChampionReason, in addition to ModelPromoted, ModelAccepted and
// ModelRejected.
const (
	ReasonBest            = "best" // the model is the champion
	ReasonAnotherPromoted = "another-promoted"
	ReasonCancelled       = "cancelled"
	ReasonOtherDataset    = "other-dataset"
	ReasonOtherMetric     = "other-metric"   // or other class weights
	ReasonOtherDivision   = "other-division" // another groupColumn or timeColumn
	ReasonNotBest         = "not-best"
)

// SetModelStateInput is the request of [SetModelState].
type SetModelStateInput struct {
	ModelInput
	Body NewModelState
}

// NewModelState is the new state of a model.
type NewModelState struct {
	State string `json:"state" doc:"promoted: the model becomes the champion of its series, and stays the champion until another model is promoted. accepted: the model ranks above the other models of its dataset. rejected: the model cannot be the champion, unless it is promoted later. automatic: the scores decide. If a model was ever rejected, the values accepted and automatic leave it rejected." enum:"promoted,accepted,rejected,automatic"`
}
