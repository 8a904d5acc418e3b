package app

import (
	"foretell/internal/api"
	"foretell/internal/store"
)

// pageOf checks the parameters of a list and returns the page to read.
func pageOf(in api.PageInput) (store.Page, error) {
	if in.Offset < 0 {
		return store.Page{}, api.NewFieldProblem("offset", "%d: must be at least 0", in.Offset)
	}
	if in.Limit < 1 {
		return store.Page{}, api.NewFieldProblem("limit", "%d: must be at least 1", in.Limit)
	}
	return store.Page{Offset: in.Offset, Limit: min(in.Limit, api.MaxPageLimit)}, nil
}

// pageEnvelope returns the paging fields of one page of a list that has total items.
func pageEnvelope(w store.Page, total int64) api.Page {
	p := api.Page{Offset: w.Offset, Limit: w.Limit, Total: total}
	// Subtracts, so that a huge offset does not overflow.
	if w.Offset < total-w.Limit {
		next := w.Offset + w.Limit
		p.NextOffset = &next
	}
	return p
}
