package dashboard

import (
	"net/http"

	"foretell/internal/api"
)

// isHTMXRequest reports whether a request was sent by the script htmx of an open page, and not by
// the browser itself.
func isHTMXRequest(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// statusStopPolling is the HTTP status after which htmx stops polling.
const statusStopPolling = 286

// respondToEndedPoll responds to a poll of an open page that can no longer be updated because of
// problem. If the object of the page was deleted, it makes the browser load the page again. If the
// session has ended, it shows this on the page, because loading the page again would clear its
// forms. For other problems, and for requests that are not polls, it does nothing and returns
// false.
func (p *Pages) respondToEndedPoll(v *visit, problem *api.Problem) bool {
	if !isHTMXRequest(v.r) || v.r.Method != http.MethodGet {
		return false
	}
	switch problem.Status {
	case http.StatusNotFound:
		v.w.Header().Set("HX-Refresh", "true")
		v.w.WriteHeader(http.StatusNoContent)
	case http.StatusUnauthorized, http.StatusForbidden:
		v.w.Header().Set("HX-Reswap", "none")
		v.w.WriteHeader(statusStopPolling)
		if err := p.templates()["error"].ExecuteTemplate(v.w, "notice", "The session has ended. Load the page again to sign in."); err != nil {
			p.opts.Log.ErrorContext(v.r.Context(), "cannot end the polls of a page", "error", err)
		}
	default:
		return false
	}
	return true
}
