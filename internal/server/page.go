package server

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"math"
	"net/http"
	"strconv"

	"foretell/internal/account"
	"foretell/internal/api"
)

// The pages are HTML forms that work without scripts. They call the same
// operations as the API.

//go:embed pages
var pageFiles embed.FS

var pageTemplates = template.Must(template.ParseFS(pageFiles, "pages/*.html"))

// requestAccessPath is the path of the page with the form to request an account.
const requestAccessPath = "/request-access"

// maxFormBytes is the maximum size of the body of a form.
const maxFormBytes = 64 << 10

// requestAccessPage is the data of the form to request an account.
type requestAccessPage struct {
	Form  api.NewAccessRequest
	Error string
	Done  bool
}

// passwordPage is the data of the form that a one-time link opens.
type passwordPage struct {
	// Code is the code of the link. It is empty if the link is invalid.
	Code, Email string
	// First reports whether the link creates the first administrator.
	First bool
	Error string
	// Done reports whether the password was set. ServiceURL is then the URL to log in to.
	Done       bool
	ServiceURL string
}

// mountPages registers the pages on the router.
func (s *service) mountPages(rt *router) {
	style, err := pageFiles.ReadFile("pages/page.css")
	if err != nil {
		panic(err) // it is embedded
	}
	rt.HandleFunc("GET /page.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write(style) // the client may be gone
	})
	rt.HandleFunc("GET "+requestAccessPath, func(w http.ResponseWriter, _ *http.Request) {
		s.writePage(w, http.StatusOK, "request_access", &requestAccessPage{})
	})
	rt.HandleFunc("POST "+requestAccessPath, s.handleRequestAccess)
	rt.HandleFunc("GET "+account.PasswordPath, s.handlePasswordLink)
	rt.HandleFunc("POST "+account.PasswordPath, s.handlePassword)
}

// writePage responds with a page. The page must not be cached, and its URL must not be
// sent to other sites, because it may be a one-time link.
func (s *service) writePage(w http.ResponseWriter, status int, name string, data any) {
	var page bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&page, name, data); err != nil {
		s.log.Error("writing a page", "page", name, "error", err)
		writeProblem(w, api.NewProblem(api.CodeInternal, "internal error"))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // the client may be gone
}

// parseForm parses the form in a request and returns the context for calling the
// operation. If the form is invalid, it sends an error response and returns false.
func (s *service) parseForm(w http.ResponseWriter, r *http.Request) (context.Context, bool) {
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	if err := r.ParseForm(); err != nil {
		writeProblem(w, api.NewProblem(api.CodeMalformed, "the form cannot be parsed"))
		return nil, false
	}
	return s.pageContext(r), true
}

// pageContext returns the context for an operation that a page calls.
func (s *service) pageContext(r *http.Request) context.Context {
	return account.WithCaller(r.Context(), account.Caller{
		BaseURL: s.baseURL(r), RequestID: requestFromContext(r.Context()).id, RemoteAddress: s.proxies.remoteAddress(r), UserAgent: r.UserAgent(),
	})
}

// pageError returns the HTTP status and the message with which a page reports an error.
// It also sets the response headers for this status.
func (s *service) pageError(ctx context.Context, w http.ResponseWriter, err error) (status int, message string) {
	p := s.toProblem(ctx, err)
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	return p.Status, p.Detail
}

// handleRequestAccess calls api.RequestAccess with the values of a form.
func (s *service) handleRequestAccess(w http.ResponseWriter, r *http.Request) {
	ctx, ok := s.parseForm(w, r)
	if !ok {
		return
	}
	form := api.NewAccessRequest{
		Name: r.PostForm.Get("name"), Organisation: r.PostForm.Get("organisation"), Email: r.PostForm.Get("email"), Reason: r.PostForm.Get("reason"),
	}
	if _, err := s.app.RequestAccess(ctx, &api.RequestAccessInput{Body: form}); err != nil {
		status, message := s.pageError(ctx, w, err)
		s.writePage(w, status, "request_access", &requestAccessPage{Form: form, Error: message})
		return
	}
	s.writePage(w, http.StatusAccepted, "request_access", &requestAccessPage{Done: true})
}

// handlePasswordLink shows the form of a one-time link. It does not use the link up,
// because mail programs open links to check them.
func (s *service) handlePasswordLink(w http.ResponseWriter, r *http.Request) {
	ctx := s.pageContext(r)
	code := r.URL.Query().Get("code")
	link, err := s.app.GetLink(ctx, code)
	if err != nil {
		status, message := s.pageError(ctx, w, err)
		s.writePage(w, status, "password", &passwordPage{Error: message})
		return
	}
	s.writePage(w, http.StatusOK, "password", &passwordPage{Code: code, Email: link.Email, First: link.First})
}

// handlePassword calls api.SetPassword with the values of a form.
func (s *service) handlePassword(w http.ResponseWriter, r *http.Request) {
	ctx, ok := s.parseForm(w, r)
	if !ok {
		return
	}
	page := &passwordPage{Code: r.PostForm.Get("code"), ServiceURL: s.baseURL(r)}
	owner, err := s.setPasswordByForm(ctx, r, page)
	if err != nil {
		status, message := s.pageError(ctx, w, err)
		if api.CodeFromError(err) == api.CodeForbidden {
			page.Code = "" // the link is invalid
		}
		page.Error = message
		s.writePage(w, status, "password", page)
		return
	}
	page.Email, page.Done = owner.Username, true
	s.writePage(w, http.StatusOK, "password", page)
}

// setPasswordByForm calls api.SetPassword with a form, within the limit of failed
// attempts from the address of the client. It fills in page from the link.
func (s *service) setPasswordByForm(ctx context.Context, r *http.Request, page *passwordPage) (*api.PasswordOwner, error) {
	address := s.proxies.remoteAddress(r)
	if s.logins != nil {
		if wait := s.logins.Take(address); wait > 0 {
			p := api.NewProblem(api.CodeTooMany, "too many attempts failed from this address; try again later")
			p.RetryAfter = int(math.Ceil(wait.Seconds()))
			return nil, p
		}
	}
	link, err := s.app.GetLink(ctx, page.Code)
	if err != nil {
		return nil, err
	}
	page.Email, page.First = link.Email, link.First
	in := &api.SetPasswordInput{Body: api.NewPassword{Code: page.Code, Password: r.PostForm.Get("password")}}
	if link.First {
		page.Email = r.PostForm.Get("email")
		in.Body.Email = &page.Email
	}
	if in.Body.Password != r.PostForm.Get("repeated") {
		return nil, api.NewFieldProblem("password", "the two passwords differ")
	}
	owner, err := s.app.SetPassword(ctx, in)
	if err == nil && s.logins != nil {
		s.logins.Refund(address)
	}
	return owner, err
}
