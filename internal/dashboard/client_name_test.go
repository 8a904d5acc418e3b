package dashboard

import "testing"

// TestClientName names the clients that people use.
func TestClientName(t *testing.T) {
	t.Parallel()
	for userAgent, want := range map[string]string{
		"":                   "unknown",
		"foretell/1.4.0":     "foretell 1.4.0, command line",
		"curl/8.5.0":         "curl 8.5.0",
		"Go-http-client/1.1": "Go-http-client 1.1",
		"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0":                                                                  "Firefox 128 on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36":                         "Chrome 126 on Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.68":       "Edge 126 on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15":                   "Safari 17 on macOS",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36":                         "Chrome 126 on Android",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1": "Safari 17 on iPhone",
		"Mozilla/5.0 (compatible; <script>alert(1)</script>)":                                                                                     "Mozilla 5.0",
	} {
		if got := clientName(userAgent); got != want {
			t.Errorf("%q is %q instead of %q", userAgent, got, want)
		}
	}
}
