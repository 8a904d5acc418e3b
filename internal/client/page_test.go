package client_test

import (
	"testing"

	"foretell/internal/client"
)

// TestPagesWithoutOffset reads a list of a service that ignores the offset and reports no total.
func TestPagesWithoutOffset(t *testing.T) {
	t.Parallel()
	d := newDeployment(t, respondJSON(200, `{"models":[{"modelKey":"m1"},{"modelKey":"m2"}],"limit":2}`))
	n := 0
	for _, err := range client.AllModelsOfDataset(t.Context(), d.client(t, client.Options{}), key) {
		if n++; err != nil || n > 2 {
			t.Fatalf("%d items, %v", n, err)
		}
	}
	if n != 2 || len(d.requests()) != 2 {
		t.Errorf("%d items after %d requests", n, len(d.requests()))
	}
}
