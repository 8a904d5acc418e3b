package dashboard

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
)

// NotFound responds with an error page for an unknown path. If the path is the path of a page
// followed by a slash, NotFound redirects to this page.
func (p *Pages) NotFound(w http.ResponseWriter, r *http.Request) {
	p.handler(func(v *visit) error {
		shorter := strings.TrimRight(r.URL.Path, "/")
		if (r.Method == http.MethodGet || r.Method == http.MethodHead) && shorter != r.URL.Path && p.isPage(shorter) {
			return v.redirect(shorter)
		}
		if v.token != "" { // the error page shows the navigation to visitors with a session
			if own, err := client.Call(r.Context(), v.client, api.GetOwnAccount, &api.None{}); err == nil {
				v.account = own
			}
		}
		return api.NewProblem(api.CodeNotFound, "there is no page at this address")
	})(w, r)
}

// MethodNotAllowed responds with an error page to a request whose path does not allow its method. A
// browser may open the path of a form with GET, because the path was left in its address bar. In
// this case, MethodNotAllowed redirects to the page above, such as /account for /account/password.
func (p *Pages) MethodNotAllowed(w http.ResponseWriter, r *http.Request) {
	p.handler(func(v *visit) error {
		if (r.Method != http.MethodGet && r.Method != http.MethodHead) || !p.isSessionPage(http.MethodPost, r.URL.Path) {
			return api.NewProblem(api.CodeMethodNotAllowed, "method %s is not allowed at this address", r.Method)
		}
		above := path.Dir(r.URL.Path)
		for above != "/" && !p.isSessionPage(http.MethodGet, above) {
			above = path.Dir(above)
		}
		return v.redirect(above)
	})(w, r)
}

// isPage reports whether a page has this path.
func (p *Pages) isPage(path string) bool {
	_, isPublic := p.publicPages()["GET "+path]
	return isPublic || p.isSessionPage(http.MethodGet, path)
}

// isSessionPage reports whether a page that needs a session has this method and path.
func (p *Pages) isSessionPage(method, path string) bool {
	segments := strings.Split(path, "/")
	for pattern := range p.privatePages() {
		patternMethod, patternPath, _ := strings.Cut(pattern, " ")
		matches := func(pattern, segment string) bool { return pattern == segment || strings.HasPrefix(pattern, "{") }
		if patternMethod == method && slices.EqualFunc(strings.Split(patternPath, "/"), segments, matches) {
			return true
		}
	}
	return false
}
