package app_test

import (
	"testing"

	"foretell/internal/app"
	"foretell/internal/blob"
)

// TestZeroAppHasNoFiles calls methods of a zero App, which a test of the endpoints has.
func TestZeroAppHasNoFiles(t *testing.T) {
	t.Parallel()
	var a app.App
	a.ObserveFiles(func(blob.BackendCall) {})
	if scans := a.MalwareScans(); scans != nil {
		t.Errorf("a zero App has scans: %v", scans)
	}
}
