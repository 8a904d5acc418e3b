package request

import (
	"net/http"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/exit"
)

// prefix is the beginning of the paths of most operations.
const prefix = "/api/v1"

// withPrefix returns the path of an operation whose prefix was omitted, as in /datasets/KEY. It
// returns any other path unchanged.
func withPrefix(path string) string {
	relative := strings.TrimLeft(path, "/")
	noun := firstSegment(relative)
	if noun == "" || client.IsAbsoluteURL(path) {
		return path
	}
	for _, op := range api.Operations() {
		if rest, ok := strings.CutPrefix(op.Path, prefix+"/"); ok && firstSegment(rest) == noun {
			return prefix + "/" + relative
		}
	}
	return path
}

// firstSegment returns the part of a path before the first slash, query or fragment. The path must
// not begin with a slash.
func firstSegment(path string) string {
	if end := strings.IndexAny(path, "/?#"); end >= 0 {
		return path[:end]
	}
	return path
}

// CheckNotDashboardPage returns a usage error if the response is a page of the dashboard. Without
// this check, a command would succeed, because even the sign-in page has the status 200.
func CheckNotDashboardPage(path string, resp *http.Response) error {
	if strings.HasPrefix(strings.TrimLeft(path, "/"), "api/") || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		return nil
	}
	return exit.Usagef("%s is a page of the dashboard, not a path of the API", path).
		WithHint("the paths begin with %s, as in `foretell api GET %s/datasets --paginate`; to see a page of the dashboard, use `foretell open`", prefix, prefix)
}
