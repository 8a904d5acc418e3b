// Package dashboard serves the web pages of the service: server-rendered HTML that can be read
// without scripts, with embedded stylesheets and scripts.
//
// A page is a client of the API. It calls the API's handler in this process with the visitor's
// token. Therefore the permissions, limits and audit log of the API also apply to pages.
//
//	request → session cookie → token → API calls → template
package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"html/template"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"foretell/internal/account"
	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/turn"
)

// files has the templates and the assets of the pages.
//
//go:embed templates assets
var files embed.FS

// Options configures the pages. All fields but TempDir, OnSignedIn and Local are required.
type Options struct {
	// API is the handler of the API, to which the pages send requests.
	API http.Handler
	// Link returns the one-time link with this code. It does not use up the link.
	Link func(ctx context.Context, code string) (*account.OneTimeLink, error)
	// SendsMail reports whether the service sends emails.
	SendsMail func(ctx context.Context) (bool, error)
	// DirectUploads is set if commands send large files directly to an S3 store. Forms cannot do
	// this.
	DirectUploads bool
	// ReadResultHead returns at most size bytes from the beginning of the result of a prediction.
	// OpenResult opens a whole result. Neither checks whether the visitor may read the prediction,
	// so the page must check this. Neither records a download in the audit log.
	ReadResultHead func(ctx context.Context, key string, size int64) ([]byte, error)
	OpenResult     func(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// OnSignedIn is called for each request with a valid session, with the context of the request.
	// It may be nil.
	OnSignedIn func(ctx context.Context)
	// LimitUploadTime sets a deadline for reading a form, which depends on the length of the form.
	LimitUploadTime func(w http.ResponseWriter, r *http.Request)
	// TempDir is the folder for temporary files. Defaults to [os.TempDir].
	TempDir    string
	IsDiskFull func() bool // reports whether no file may be written to TempDir
	// BaseURL returns the scheme and host with which absolute URLs in the response begin.
	BaseURL func(r *http.Request) string
	// Host returns the host to which the browser sent a request.
	Host func(r *http.Request) string
	Now  func() time.Time
	Log  *slog.Logger
	// Version is the version of the service, shown on each page.
	Version string
	// Local lets one browser in without a password. It is set only for a service in the process of
	// a command. If it is nil, visitors sign in.
	Local *LocalAccess
}

// Pages serves the pages. It is safe for concurrent use.
type Pages struct {
	opts Options
	// templates returns the templates. It parses them at the first call, because a command that
	// runs the service in its own process rarely needs them.
	templates   func() map[string]*template.Template
	crossOrigin *http.CrossOriginProtection
	// verifying limits how many results are verified or digested at a time, because each may need
	// much processor time and a gigabyte of disk space.
	verifying      *turn.FairSemaphore
	uploadOutcomes uploadOutcomes
	sentForms      sentForms
}

// maxVerifications is the maximum number of results that are verified at a time.
const maxVerifications = 2

// New returns the pages with these options.
func New(opts Options) *Pages {
	templates := sync.OnceValue(func() map[string]*template.Template { return parseTemplates(opts.Now) })
	return &Pages{opts: opts, templates: templates, crossOrigin: http.NewCrossOriginProtection(), verifying: turn.NewFairSemaphore(maxVerifications), uploadOutcomes: uploadOutcomes{byAccount: map[string][]*uploadOutcome{}}}
}

// Mount calls handle with the pattern and the handler of each page. A pattern is a method and a
// path, such as "GET /models".
func (p *Pages) Mount(handle func(pattern string, handler func(http.ResponseWriter, *http.Request))) {
	for pattern, visit := range p.publicPages() {
		handle(pattern, p.handler(visit))
	}
	for pattern, visit := range p.privatePages() {
		handle(pattern, p.handler(p.requireSession(visit)))
	}
	handle("GET /assets/{version}/{name}", p.handleAsset)
}

// publicPages returns the pages that need no session, by pattern.
func (p *Pages) publicPages() map[string]visitFunc {
	return map[string]visitFunc{
		"GET /sign-in":             p.showSignIn,
		"POST /sign-in":            p.signIn,
		"GET /request-access":      p.showRequestAccess,
		"POST /request-access":     p.requestAccess,
		"GET /forgotten-password":  p.showForgottenPassword,
		"POST /forgotten-password": p.requestPassword,
		"GET /password":            p.showPassword,
		"POST /password":           p.setPassword,
		"GET /open":                p.signInWithLocalLink,
	}
}

// privatePages returns the pages that need a session, by pattern. The front page is not
// among them, because its path also serves JSON.
func (p *Pages) privatePages() map[string]visitFunc {
	return map[string]visitFunc{
		"POST /sign-out":              p.signOut,
		"GET /datasets":               p.listDatasets,
		"POST /datasets":              p.recordUploadOutcome(p.createDataset),
		"POST /datasets/columns":      p.showColumns,
		"GET /datasets/{key}":         p.showDataset,
		"POST /datasets/{key}/delete": p.deleteDataset,

		"GET /datasets/{key}/train":   p.showTrainForm,
		"POST /datasets/{key}/train":  p.startTraining,
		"GET /training":               p.listTrainings,
		"GET /training/{key}":         p.showTraining,
		"POST /training/{key}/stop":   p.stopTraining,
		"POST /training/{key}/delete": p.deleteTraining,

		"GET /models":                   p.listModels,
		"GET /models/compare":           p.compareModels,
		"GET /models/series":            p.showSeries,
		"GET /models/{key}":             p.showModel,
		"GET /models/{key}/report.html": p.downloadReport,
		"GET /models/{key}/file":        p.downloadModel,
		"POST /models/{key}/predict":    p.recordUploadOutcome(p.createPrediction),
		"POST /models/{key}/delete":     p.deleteModel,

		"GET /predictions":                   p.listPredictions,
		"GET /predictions/{key}":             p.showPrediction,
		"GET /predictions/{key}/result":      p.downloadResult,
		"GET /predictions/{key}/receipt":     p.downloadReceipt,
		"GET /predictions/{key}/report.html": p.downloadPredictionReport,
		"POST /predictions/{key}/delete":     p.deletePrediction,

		"GET /uploads/{id}": p.showUploadOutcome,

		"GET /verify":  p.showVerify,
		"POST /verify": p.verifyResult,

		"GET /account":               p.showAccount,
		"POST /account/password":     p.changePassword,
		"POST /account/sessions/end": p.endSession,

		"POST /account/second-factor":         p.addSecondFactor,
		"POST /account/second-factor/confirm": p.confirmSecondFactor,
		"POST /account/second-factor/remove":  p.removeSecondFactor,

		"GET /admin":                 p.showAdministration,
		"POST /admin/requests/{key}": p.decideRequest,
		"GET /admin/accounts":        p.listAccounts,
		"POST /admin/accounts":       p.createAccount,
		"GET /admin/accounts/{key}":  p.showUser,
		"POST /admin/accounts/{key}": p.changeUser,
		"GET /admin/events":          p.listEvents,
		"GET /admin/jobs":            p.listJobs,
	}
}

// Home shows the front page.
func (p *Pages) Home(w http.ResponseWriter, r *http.Request) {
	p.handler(p.requireSession(p.showHome))(w, r)
}

// visit is one request for a page.
type visit struct {
	w http.ResponseWriter
	r *http.Request
	// client calls the API with the visitor's token, or without a token on public pages.
	client *client.Client
	token  string
	// account is the visitor's account; nil on public pages.
	account *api.Account
	// created is the object that an upload has created.
	created createdObject
}

// visitFunc handles a visit. The error that it returns is shown as a page.
type visitFunc func(v *visit) error

// maxFormBytes is the maximum size of the body of a form without a file.
const maxFormBytes = 64 << 10

// handler returns the HTTP handler of a page: it checks the origin of the request, reads the
// session cookie and a form without a file, and calls do.
func (p *Pages) handler(do visitFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		setPageHeaders(w.Header())
		v := &visit{w: w, r: r}
		err := p.checkOrigin(r)
		if err == nil {
			v.token = p.tokenFromCookie(r)
			v.client, err = p.newClient(r, v.token)
		}
		if err == nil && r.Method == http.MethodPost && !IsMultipart(r) {
			r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
			if parseErr := r.ParseForm(); parseErr != nil {
				err = api.NewProblem(api.CodeMalformed, "the form cannot be parsed").WithCause(parseErr)
			}
		}
		if err == nil {
			err = do(v)
		}
		if err != nil {
			p.writeError(v, err)
		}
	}
}

// checkOrigin returns a problem if a page of another site may have sent a form. Browsers send the
// origin of a form in at least one of the headers Origin and Sec-Fetch-Site. A form with neither
// comes from a program, and is rejected if it has a session cookie.
func (p *Pages) checkOrigin(r *http.Request) error {
	if r.Method == http.MethodPost && r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") == "" && p.tokenFromCookie(r) != "" {
		return api.NewProblem(api.CodeForbidden, "the form has neither an Origin nor a Sec-Fetch-Site header, although every browser sends one of them; programs must use the API")
	}
	received := *r
	received.Host = p.opts.Host(r) // a proxy may have replaced the Host header
	if err := p.crossOrigin.Check(&received); err != nil {
		return api.NewProblem(api.CodeForbidden, "the request came from another site").WithCause(err)
	}
	return nil
}

// IsMultipart reports whether a request sends a form that may contain a file.
func IsMultipart(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/")
}

// requireSession returns a visitFunc that sets v.account and calls do. It sends visitors
// without a session to the sign-in page.
func (p *Pages) requireSession(do visitFunc) visitFunc {
	return func(v *visit) error {
		if v.token == "" {
			return p.askToSignIn(v)
		}
		var err error
		v.account, err = client.Call(v.r.Context(), v.client, api.GetOwnAccount, &api.None{})
		if api.CodeFromError(err) == api.CodeUnauthorized {
			return p.askToSignIn(v)
		}
		if err != nil {
			return err
		}
		if p.opts.OnSignedIn != nil {
			p.opts.OnSignedIn(v.r.Context())
		}
		err = do(v)
		switch api.CodeFromError(err) {
		case api.CodeUnauthorized:
			return p.askToSignIn(v)
		case api.CodeNoSecondFactor:
			return v.redirect("/account?second-factor=required")
		}
		return err
	}
}

// setPageHeaders sets the security headers of a page. The browser then runs only the embedded
// scripts, and does not cache the page. It sends the URL of the page, which may be a one-time link,
// to no other site.
func setPageHeaders(h http.Header) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; "+
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// redirect makes the browser load another page, at a path of the service.
func (v *visit) redirect(path string) error {
	if isHTMXRequest(v.r) { // after a 303, htmx would load the other page into this one
		v.w.Header().Set("HX-Redirect", path)
		v.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// page is the data that the layout of every page shows.
type page struct {
	// Title is the title of the page. Section is the current entry of the navigation.
	Title, Section string
	// Path is the path of the page, which defaults to the path of the request. The forms of the page
	// are sent to this path or to a path below it. query has the query parameters of the page.
	Path  string
	query url.Values
	// Account is nil if the visitor has not signed in.
	Account *api.Account
	// Local reports whether the service runs in the process of a command. Nobody then signs in or
	// out.
	Local bool
	// Commands are the `foretell` commands that do the same as the page.
	Commands []string
	// Error is a message that says why a form was rejected, or "". If Fields is not empty, it has
	// the same message in parts, one for each field.
	Error   string
	Fields  fieldErrors
	Version string
	Data    any
	// IsPart reports whether the response is not the whole page, but a part of it.
	IsPart bool
}

// PartURL returns the URL from which the page polls one of its parts; see [Pages.show]. The name of
// the part's template is "part-" followed by name.
func (c *page) PartURL(name string) string {
	query := maps.Clone(c.query)
	query.Set("part", name)
	return c.Path + "?" + query.Encode()
}

// show responds with a page. name is the name of the template with the content. If the script htmx
// of an open page sent the request, the response has only a part of the page, or the message about
// a rejected form.
func (p *Pages) show(v *visit, status int, name string, content page) error {
	content.Account, content.Local, content.Version = v.account, p.opts.Local != nil, p.opts.Version
	content.Path, content.query = cmp.Or(content.Path, v.r.URL.Path), v.r.URL.Query()
	var body bytes.Buffer
	layout := "page"
	if part := content.query.Get("part"); part != "" && status == http.StatusOK && p.templates()[name].Lookup("part-"+part) != nil {
		layout, content.IsPart = "part-"+part, true
	} else if status >= http.StatusBadRequest && isHTMXRequest(v.r) {
		layout = "error-note"
	}
	if err := p.templates()[name].ExecuteTemplate(&body, layout, &content); err != nil {
		return err
	}
	if content.IsPart {
		// The commands are at the foot of the page. They are sent, too, because they may depend on
		// the state that the part shows.
		if err := p.templates()[name].ExecuteTemplate(&body, "commands", &content); err != nil {
			return err
		}
		if respondIfUnchanged(v, body.Bytes()) {
			return nil
		}
	}
	writeCompressed(v.w, v.r, status, body.Bytes())
	return nil
}
