package request

import "testing"

// TestWithPrefix checks which paths get the prefix.
func TestWithPrefix(t *testing.T) {
	for path, want := range map[string]string{
		"/datasets":                    "/api/v1/datasets",
		"datasets/KEY":                 "/api/v1/datasets/KEY",
		"//datasets":                   "/api/v1/datasets",
		"/datasets?name=http://x":      "/api/v1/datasets?name=http://x",
		"/api/v1/datasets":             "/api/v1/datasets",
		"https://example.com/datasets": "https://example.com/datasets",
		"/healthz":                     "/healthz",
	} {
		if got := withPrefix(path); got != want {
			t.Errorf("withPrefix(%q) = %q, want %q", path, got, want)
		}
	}
}
