package app

import (
	"foretell/internal/api"
	"foretell/internal/store"
)

// parsePage checks the parameters of a list and returns the page to read.
func parsePage(in api.PageInput) (store.Page, error) {
	p, err := in.Page()
	return store.Page{Offset: p.Offset, Limit: p.Limit}, err
}

// toPage returns the paging members of a response that lists this page. total is the
// number of items on all pages.
func toPage(page store.Page, total int64) api.Page {
	p := api.Page{Offset: page.Offset, Limit: page.Limit}
	p.SetTotalAndNext(total)
	return p
}

// keysWithJob returns the keys of the rows that have a job.
func keysWithJob[R any](rows []R, hasJob func(R) bool, key func(R) string) (keys []string) {
	for _, row := range rows {
		if hasJob(row) {
			keys = append(keys, key(row))
		}
	}
	return keys
}
