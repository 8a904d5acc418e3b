package api

// MaxPageLimit is the largest page size. The server reduces a larger limit to MaxPageLimit.
const MaxPageLimit = 1000

// PageInput has the parameters of every list.
type PageInput struct {
	Offset int64 `query:"offset" required:"true" minimum:"0" doc:"How many items to skip from the beginning of the list."`
	Limit  int64 `query:"limit" required:"true" minimum:"1" doc:"The maximum number of items to return; a value above 1000 is reduced to 1000."`
}

// Page has the members that describe the returned part of a list. Every list has them.
type Page struct {
	Offset int64 `json:"offset" doc:"The requested offset."`
	Limit  int64 `json:"limit" doc:"The limit that was applied, at most 1000."`
	// NextOffset is the offset of the next page. It is nil on the last page.
	NextOffset *int64 `json:"nextOffset,omitempty" doc:"Offset of the next page; absent on the last page."`
	// Total is the number of items on all pages. The client sets it to -1 if the service does not
	// report it.
	Total int64 `json:"total" doc:"Number of items on all pages."`
}

// Page returns the requested page, with a Limit of at most MaxPageLimit. Its Total is not set yet.
// If a parameter is out of range, it returns a *Problem.
func (in PageInput) Page() (Page, error) {
	if in.Offset < 0 {
		return Page{}, NewFieldProblem("offset", "%d: must be at least 0", in.Offset)
	}
	if in.Limit < 1 {
		return Page{}, NewFieldProblem("limit", "%d: must be at least 1", in.Limit)
	}
	return Page{Offset: in.Offset, Limit: min(in.Limit, MaxPageLimit)}, nil
}

// SetTotalAndNext sets Total, and sets NextOffset unless the page is the last.
func (p *Page) SetTotalAndNext(total int64) {
	p.Total, p.NextOffset = total, nil
	// This is p.Offset+p.Limit < total, without overflow for a huge offset.
	if p.Offset < total-p.Limit {
		next := p.Offset + p.Limit
		p.NextOffset = &next
	}
}

// DatasetPageInput is the request of a list that belongs to a dataset.
type DatasetPageInput struct {
	DatasetInput
	PageInput
}

// ModelPageInput is the request of a list that belongs to a model.
type ModelPageInput struct {
	ModelInput
	PageInput
}
