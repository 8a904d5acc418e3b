package app

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/internal/blob"
)

// TestUploadsInTurns checks that the many uploads of one account do not delay the first uploads of
// the others.
func TestUploadsInTurns(t *testing.T) {
	t.Parallel()
	uploads := []blob.Upload{{Name: "bob/1"}, {Name: "eve/1"}}
	for i := range 50 {
		uploads = append(uploads, blob.Upload{Name: fmt.Sprintf("ann/%d", i)})
	}
	orders := map[string]bool{}
	for seed := range uint64(10) {
		first := map[string]bool{}
		ordered := inTurns(uploads, rand.New(rand.NewPCG(seed, 0)))
		for _, u := range ordered[:3] {
			account, _, _ := strings.Cut(u.Name, "/")
			first[account] = true
		}
		if len(first) != 3 || len(ordered) != 52 {
			t.Errorf("the first three of %d uploads are of %v", len(ordered), first)
		}
		orders[ordered[0].Name+ordered[1].Name+ordered[2].Name] = true
	}
	if len(orders) < 2 {
		t.Error("every process begins with the same uploads")
	}
}
