package server

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"foretell/internal/account"
	"foretell/internal/api"
)

// requestRules holds what a request for an operation must satisfy; see authenticateAndCheck.
type requestRules struct {
	op          api.Operation
	params      parameters
	hasJSONBody bool // the operation takes a JSON body
}

// authenticateAndCheck returns a middleware that authenticates the caller, checks the
// request, and puts the caller into the context.
func (s *service) authenticateAndCheck(rules requestRules) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		req := requestFromContext(r.Context())
		req.operation, req.w, req.r = rules.op.ID, w, r
		caller, err := s.identifyCaller(r, rules.op)
		if err != nil {
			writeProblem(w, s.toProblem(r.Context(), err))
			return
		}
		req.account, req.authenticated = caller.Email, !rules.op.Public
		if p := s.checkRequestLimit(req, caller); p != nil {
			writeProblem(w, p)
			return
		}
		ctx = huma.WithContext(ctx, account.WithCaller(r.Context(), caller))
		if rules.op.Administrator && !caller.Administrator {
			s.app.RecordRefusal(ctx.Context(), rules.op.ID, r.URL.Path)
			writeProblem(w, api.NewProblem(api.CodeForbidden, "only administrators can send this request"))
			return
		}
		if caller.MustSetUpSecondFactor && !allowedWithoutSecondFactor[rules.op.ID] {
			writeProblem(w, api.NewProblem(api.CodeNoSecondFactor, "this service requires an authenticator app: set one up at %s/account", caller.BaseURL))
			return
		}
		if p := rules.check(r); p != nil {
			writeProblem(w, p)
			return
		}
		done, err := s.waitForDescription(r.Context(), caller.Account, rules.op.ID)
		if err != nil {
			writeProblem(w, s.toProblem(r.Context(), err))
			return
		}
		defer done()
		next(ctx)
	}
}

// maxDescriptions is the maximum number of requests of an account for descriptions of tables that
// are handled at a time.
const maxDescriptions = 4

// describesTable holds the IDs of the operations whose response describes each column of a table. The
// response has megabytes if the table has thousands of columns.
var describesTable = map[string]bool{
	api.GetDataset.ID: true, api.GetModelReport.ID: true, api.GetPredictionDrift.ID: true,
}

// waitForDescription waits until fewer than maxDescriptions requests of the account for descriptions
// are being handled, because a response stays in memory until the client has read it. The caller
// must call done when the request is handled. If ctx ends first, waitForDescription returns the error
// of ctx. For other operations, it does not wait.
func (s *service) waitForDescription(ctx context.Context, account, operation string) (done func(), err error) {
	if !describesTable[operation] {
		return func() {}, nil
	}
	slots, _ := s.descriptions.LoadOrStore(account, make(chan struct{}, maxDescriptions))
	handled := slots.(chan struct{})
	select {
	case handled <- struct{}{}:
		return func() { <-handled }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// allowedWithoutSecondFactor holds the IDs of the operations that an account without an authenticator
// app may always call. Other operations are refused to it if the service requires an app.
var allowedWithoutSecondFactor = map[string]bool{
	api.GetOwnAccount.ID: true, api.ChangePassword.ID: true,
	api.ListSessions.ID: true, api.EndSession.ID: true, api.EndOtherSessions.ID: true, api.LogOut.ID: true,
	api.AddSecondFactor.ID: true, api.ConfirmSecondFactor.ID: true,
}

// identifyCaller returns the sender of a request. For a public operation, it returns a Caller
// without an account.
func (s *service) identifyCaller(r *http.Request, op api.Operation) (account.Caller, error) {
	var caller account.Caller
	if !op.Public {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || token == "" {
			return caller, api.NewProblem(api.CodeUnauthorized, "missing bearer token: log in with POST %s", api.LogIn.Path)
		}
		var err error
		if caller, err = s.app.Authenticate(r.Context(), strings.TrimSpace(token)); err != nil {
			return caller, err
		}
	}
	caller.BaseURL = s.baseURL(r)
	caller.RequestID = requestFromContext(r.Context()).id
	caller.RemoteAddress = s.proxies.remoteAddress(r)
	caller.UserAgent = r.UserAgent()
	return caller, nil
}

// checkRequestLimit counts a request of an account, and returns a problem if the account has sent
// too many requests. All requests that the dashboard sends for one page count as one. Requests
// without an account, such as log-ins, are not counted here: they have other limits.
func (s *service) checkRequestLimit(req *request, caller account.Caller) *api.Problem {
	if req.page != nil {
		req = req.page
	}
	if s.requests == nil || caller.Account == "" || req.isCounted.Swap(true) {
		return nil
	}
	wait := s.requests.Take(caller.Account)
	if wait == 0 {
		return nil
	}
	return api.NewTooManyProblem(wait, "the account has sent too many requests (limit: %d per second)", s.opts.RequestsPerSecond)
}

// check returns a problem if a parameter has invalid syntax, if the Content-Type or Content-Encoding
// of the body is not supported, or if the body is only a part of a file. Otherwise it returns nil.
func (rules requestRules) check(r *http.Request) *api.Problem {
	if p := rules.params.validate(r); p != nil {
		return p
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return api.NewProblem(api.CodeWrongMediaType, "Content-Encoding is not supported: send the body uncompressed")
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get("Content-Range") != "" { // RFC 9110, section 14.5; the service would take the part for the whole file
		return api.NewProblem(api.CodeMalformed, "Content-Range is not supported, so nothing was stored: send the whole body in one request, without Content-Range")
	}
	if kind := r.Header.Get("Content-Type"); rules.hasJSONBody && kind != "" {
		if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" {
			return api.NewProblem(api.CodeWrongMediaType, "the body must be application/json")
		}
	}
	return nil
}

// logIn calls app.LogIn. It also counts failed log-ins, and passes the email to the access log. If
// a log-in fails, a name that does not look like an email is not logged, because it may be a
// password.
func (s *service) logIn(ctx context.Context, in *api.LogInInput) (*api.Session, error) {
	session, err := s.app.LogIn(ctx, in)
	if err == nil || account.LooksLikeEmail(in.Body.Username) {
		requestFromContext(ctx).account = escapeForLog(in.Body.Username)
	}
	s.countLoginFailure(err)
	return session, err
}

// setPassword calls app.SetPassword. It also counts calls that were refused because of too many
// attempts.
func (s *service) setPassword(ctx context.Context, in *api.SetPasswordInput) (*api.PasswordOwner, error) {
	owner, err := s.app.SetPassword(ctx, in)
	s.countLoginFailure(err)
	return owner, err
}

// countLoginFailure counts a refused log-in or password in the metrics, by the code of err. It
// ignores other errors, and nil.
func (s *service) countLoginFailure(err error) {
	switch api.CodeFromError(err) {
	case api.CodeBadCredentials:
		s.metrics.loginFailures.WithLabelValues(reasonBadCredentials).Inc()
	case api.CodeTooMany:
		s.metrics.loginFailures.WithLabelValues(reasonTooManyAttempts).Inc()
	}
}

// escapeForLog returns a text from a client in a form that can be logged. It truncates the text
// to 254 bytes, and escapes control characters, because a terminal would interpret them.
func escapeForLog(text string) string {
	const maxLength = 254 // length of the longest email address
	quoted := strconv.Quote(text[:min(len(text), maxLength)])
	return quoted[1 : len(quoted)-1]
}

// baseURL returns the scheme and host with which the absolute URLs in the response begin.
func (s *service) baseURL(r *http.Request) string {
	if s.opts.PublicURL != "" {
		return strings.TrimSuffix(s.opts.PublicURL, "/")
	}
	return s.schemeOf(r) + "://" + s.requestHost(r)
}
