package client

import (
	"strings"
	"testing"
)

// TestUnknownAuthorityElsewhere checks that the remedy for an unknown authority is one of the operating
// system: macOS and Windows ignore SSL_CERT_FILE.
func TestUnknownAuthorityElsewhere(t *testing.T) {
	for goos, want := range map[string]string{"darwin": "`security add-trusted-cert ", "windows": "`certutil -user -addstore Root FILE`"} {
		got := describeUnknownAuthority(goos, "ca.pem")
		if !strings.Contains(got, want) || strings.Contains(got, "set SSL_CERT_FILE") || strings.Contains(got, "ca.pem") {
			t.Errorf("%s: %s", goos, got)
		}
	}
}
