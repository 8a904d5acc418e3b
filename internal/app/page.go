package app

import (
	"foretell/internal/api"
	"foretell/internal/store"
)

// parsePage checks the parameters of a list and returns the page to read.
func parsePage(in api.PageInput) (store.Page, error) {
	if in.Offset < 0 {
		return store.Page{}, api.NewFieldProblem("offset", "%d: must be at least 0", in.Offset)
	}
	if in.Limit < 1 {
		return store.Page{}, api.NewFieldProblem("limit", "%d: must be at least 1", in.Limit)
	}
	return store.Page{Offset: in.Offset, Limit: min(in.Limit, api.MaxPageLimit)}, nil
}

// toPage returns the paging fields of a page. total is the number of items on all
// pages.
func toPage(page store.Page, total int64) api.Page {
	p := api.Page{Offset: page.Offset, Limit: page.Limit, Total: total}
	// A sum would overflow if the offset is huge.
	if page.Offset < total-page.Limit {
		next := page.Offset + page.Limit
		p.NextOffset = &next
	}
	return p
}
