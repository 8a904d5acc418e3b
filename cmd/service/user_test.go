package service

import "testing"

func TestIsSameService(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, a, b string
		want       bool
	}{
		{"loopback", "http://127.0.0.1:8080/", "HTTP://LocalHost:8080", true},
		{"port", "https://example.com", "https://EXAMPLE.com:443/", true},
		{"path", "https://example.com/Foretell", "https://example.com/foretell", false},
		{"host", "https://example.com", "https://example.org", false},
	} {
		if got := isSameService(c.a, c.b); got != c.want {
			t.Errorf("%s: %s and %s: %v", c.name, c.a, c.b, got)
		}
	}
}
