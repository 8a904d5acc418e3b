package api

// MaxPageLimit is the largest page the server gives; a larger limit is served
// and echoed as this one.
const MaxPageLimit = 1000

// PageInput are the parameters of every list.
type PageInput struct {
	Offset int64 `query:"offset" required:"true" minimum:"0" doc:"How many items to leave out, from the newest."`
	Limit  int64 `query:"limit" required:"true" minimum:"1" doc:"The largest number of items to answer; more than 1000 counts as 1000."`
}

// Page is the envelope of every list.
type Page struct {
	Offset int64 `json:"offset" doc:"As asked for."`
	Limit  int64 `json:"limit" doc:"As applied."`
	// NextOffset is the offset of the next page; absent on the last.
	NextOffset *int64 `json:"nextOffset,omitempty" doc:"Of the next page; absent on the last."`
	// Total counts the items of all pages. The client takes -1 for a service
	// that does not tell.
	Total int64 `json:"total" doc:"Items of all pages."`
}

// DatasetPageInput is a list of things that belong to a dataset.
type DatasetPageInput struct {
	DatasetInput
	PageInput
}

// ModelPageInput is a list of things that belong to a model.
type ModelPageInput struct {
	ModelInput
	PageInput
}
