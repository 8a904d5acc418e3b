package exit_test

import (
	"strings"
	"testing"

	"foretell/internal/client"
	"foretell/internal/exit"
)

// TestFileStoreHint checks the hint for an object store that does not respond. It must not be about
// the address of the service, because the service responds.
func TestFileStoreHint(t *testing.T) {
	t.Parallel()
	e := exit.FromError(t.Context(), &client.NetworkError{URL: "https://s3.example.org/foretell/prod?X-Amz-Date=1", Kind: client.Unreachable, FileStore: true, Reason: "no connection"})
	if e.Status != exit.Unavailable || !strings.Contains(e.Hint, "https://s3.example.org,") || strings.Contains(e.Hint, "foretell status") {
		t.Errorf("exit %d, hint %q", e.Status, e.Hint)
	}
}
