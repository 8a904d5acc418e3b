package dashboard

import (
	"context"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
)

// LocalAccess lets one browser use a service in the process of a command. Such a service has no
// passwords.
type LocalAccess struct {
	// Code is the code in the link that `foretell open` prints. A browser can exchange it once for
	// the session cookie.
	Code string
	// Secret is the value of the session cookie.
	Secret string
	// Token returns a valid token of the service.
	Token func(ctx context.Context) (string, error)
	// UseCode marks Code as used, and reports whether this was its first use.
	UseCode func() bool
}

// cookieName returns the name of the session cookie. The name contains the port of the service,
// because browsers share cookies between all ports of a host. With TLS, it has the prefix __Host-.
// Browsers then reject a cookie of this name from another host or from an unencrypted page.
func (p *Pages) cookieName(r *http.Request) string {
	name := "foretell"
	if p.opts.Local != nil {
		name = "foretell-local"
	}
	base, err := url.Parse(p.opts.BaseURL(r))
	if err != nil { // the Host header is invalid
		return name
	}
	if port := base.Port(); port != "" {
		name += "-" + port
	}
	if base.Scheme == "https" {
		name = "__Host-" + name
	}
	return name
}

// isSecure reports whether the browser reaches the service with TLS.
func (p *Pages) isSecure(r *http.Request) bool {
	return strings.HasPrefix(p.opts.BaseURL(r), "https://")
}

// tokenFromCookie returns the token of the visitor's session, which may have expired. It returns ""
// if the request has no session cookie.
func (p *Pages) tokenFromCookie(r *http.Request) string {
	cookie, err := r.Cookie(p.cookieName(r))
	if err != nil {
		return ""
	}
	if p.opts.Local == nil {
		return cookie.Value
	}
	if subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(p.opts.Local.Secret)) != 1 {
		return ""
	}
	token, err := p.opts.Local.Token(r.Context())
	if err != nil {
		p.opts.Log.ErrorContext(r.Context(), "cannot open a session of the embedded service", "error", err)
		return ""
	}
	return token
}

// setSessionCookie sets the session cookie for the given number of seconds, or deletes it if value
// is empty. It also deletes the flash messages of the earlier session, because one of them may
// contain the secret of an authenticator app.
func (p *Pages) setSessionCookie(v *visit, value string, seconds int) {
	p.deleteFlashes(v, nil)
	p.setCookie(v, p.cookieName(v.r), value, seconds)
}

// setCookie sets a cookie for the given number of seconds, or deletes it if value is empty. Scripts
// cannot read it, and requests from other sites do not have it.
func (p *Pages) setCookie(v *visit, name, value string, seconds int) {
	if value == "" {
		seconds = -1
	}
	http.SetCookie(v.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds,
		Secure: p.isSecure(v.r), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// signInForm is the data of the page to sign in.
type signInForm struct {
	Username string
	// Next is the path to show after signing in.
	Next string
	// NoMail reports that the service sends no emails, so nobody can request a new password.
	NoMail bool
}

// safeRedirectPath returns path if it is a path of this service, and "/" otherwise. Browsers treat
// //host and /\host as URLs of another host.
func safeRedirectPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || !strings.HasPrefix(path, "/") || u.Host != "" || u.Scheme != "" || strings.ContainsAny(path, "\\\r\n\t") || strings.HasPrefix(path, "//") {
		return "/"
	}
	return path
}

// endedWithForm is the value of the parameter `ended` of the sign-in page after a form was rejected
// because the session has ended.
const endedWithForm = "form"

// askToSignIn redirects the visitor to the sign-in page. After signing in, the visitor gets to the
// requested page, or to the page of the form that was sent. There are two exceptions:
//
//   - If the script htmx of an open page sent the request, askToSignIn returns a problem with
//     CodeUnauthorized. The open page then keeps the typed texts and the chosen file.
//   - A service in the process of a command has no sign-in page. askToSignIn then returns a problem
//     that asks for another link.
func (p *Pages) askToSignIn(v *visit) error {
	if p.opts.Local != nil {
		return api.NewProblem(api.CodeForbidden, "this page needs a link that `foretell open` prints, and each link works only once: run the command again")
	}
	if v.r.URL.Query().Has("part") {
		return api.NewProblem(api.CodeUnauthorized, "the session has ended: sign in again")
	}
	isForm := v.r.Method == http.MethodPost
	if isForm && isHTMXRequest(v.r) {
		return api.NewProblem(api.CodeUnauthorized, "your session has ended: sign in again in another tab, then send this form again")
	}
	query := url.Values{}
	next, ended := v.r.URL.RequestURI(), "true"
	if isForm {
		next, ended = p.formPagePath(v.r), endedWithForm
	}
	if next != "/" {
		query.Set("next", next)
	}
	if v.r.URL.Path != "/sign-out" && (isForm || v.token != "") {
		query.Set("ended", ended)
	}
	if len(query) == 0 {
		return v.redirect("/sign-in")
	}
	return v.redirect("/sign-in?" + query.Encode())
}

// formPagePath returns the path and query of the page whose form was sent by a request, according
// to its Referer header. It returns "/" if the header does not name a page of this service.
func (p *Pages) formPagePath(r *http.Request) string {
	path, found := strings.CutPrefix(r.Referer(), p.opts.BaseURL(r))
	if !found || r.URL.Path == "/sign-out" {
		return "/"
	}
	return safeRedirectPath(path)
}

func (p *Pages) showSignIn(v *visit) error {
	if p.opts.Local != nil {
		return p.askToSignIn(v)
	}
	query, message := v.r.URL.Query(), ""
	if query.Has("ended") {
		message = "your session has ended: sign in again"
	}
	if query.Get("ended") == endedWithForm {
		message = "your session has ended, so what you sent was not carried out: sign in again and send it again"
	}
	return p.writeSignIn(v, signInForm{Next: safeRedirectPath(query.Get("next"))}, &api.Problem{Status: http.StatusOK, Detail: message})
}

// signInFields are the fields of the sign-in form that can have a message of their own. A wrong
// email or password has only a message for the whole form, which does not say which of them is
// wrong.
var signInFields = []formField{{"authenticatorCode", "code", "Code of your authenticator app"}}

func (p *Pages) writeSignIn(v *visit, form signInForm, problem *api.Problem) error {
	form.NoMail = p.sendsNoMail(v)
	content := page{Title: "Sign in", Commands: []string{"foretell login " + p.opts.BaseURL(v.r)}, Data: form}
	content.setProblem(problem, signInFields)
	return p.show(v, problem.Status, "sign_in", content)
}

// signIn exchanges an email and a password for a session. It ends the session that the browser had
// before.
func (p *Pages) signIn(v *visit) error {
	form := signInForm{Username: v.r.PostForm.Get("username"), Next: safeRedirectPath(v.r.PostForm.Get("next"))}
	in := &api.LogInInput{Body: api.Credentials{
		Username: form.Username, Password: v.r.PostForm.Get("password"), AuthenticatorCode: v.r.PostForm.Get("code"),
	}}
	session, err := client.Call(v.r.Context(), v.client, api.LogIn, in)
	if err != nil {
		problem := p.formProblem(v, err)
		if problem.Code == api.CodeAuthenticatorCode {
			problem.Errors = []api.FieldError{{Field: "authenticatorCode", Message: problem.Detail}}
		}
		return p.writeSignIn(v, form, problem)
	}
	p.setSessionCookie(v, session.AccessToken, session.ExpiresIn)
	if v.token != "" {
		_, err := client.Call(v.r.Context(), v.client, api.LogOut, &api.None{}) // ends the session of the earlier cookie
		if err != nil && api.CodeFromError(err) != api.CodeUnauthorized {
			p.opts.Log.WarnContext(v.r.Context(), "cannot end the earlier session of a browser", "error", err)
		}
	}
	return v.redirect(form.Next)
}

// signOut ends the session.
func (p *Pages) signOut(v *visit) error {
	if p.opts.Local != nil {
		return v.redirect("/")
	}
	if _, err := client.Call(v.r.Context(), v.client, api.LogOut, &api.None{}); err != nil {
		return err
	}
	p.setSessionCookie(v, "", 0)
	return v.redirect("/sign-in")
}

// signInWithLocalLink exchanges the code in the link of `foretell open` for the session cookie.
func (p *Pages) signInWithLocalLink(v *visit) error {
	local := p.opts.Local
	if local == nil {
		return api.NewProblem(api.CodeNotFound, "there is no page at this address")
	}
	code := v.r.URL.Query().Get("code")
	if subtle.ConstantTimeCompare([]byte(code), []byte(local.Code)) != 1 || !local.UseCode() {
		if v.token != "" {
			return v.redirect("/") // the browser that has the session has opened the link again
		}
		return p.askToSignIn(v)
	}
	p.setSessionCookie(v, local.Secret, 365*24*60*60)
	return v.redirect(safeRedirectPath(v.r.URL.Query().Get("next")))
}
