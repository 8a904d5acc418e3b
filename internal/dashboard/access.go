package dashboard

import (
	"net/http"
	"strconv"

	"foretell/internal/api"
	"foretell/internal/client"
)

// requestAccessPage is the template data of the form to request an account.
type requestAccessPage struct {
	Form api.NewAccessRequest
	Done bool
}

// passwordPage is the data of the form that a one-time link opens.
type passwordPage struct {
	// Code is the code of the link. It is empty if the link is invalid.
	Code, Email string
	// First reports whether the link creates the first administrator.
	First bool
	// Done reports whether the password was set. ServiceURL is then the URL for `foretell login`.
	Done       bool
	ServiceURL string
}

func (p *Pages) showRequestAccess(v *visit) error {
	return p.writeRequestAccess(v, http.StatusOK, requestAccessPage{}, "")
}

func (p *Pages) writeRequestAccess(v *visit, status int, data requestAccessPage, message string) error {
	return p.show(v, status, "request_access", page{Title: "Request an account", Error: message, Data: data})
}

// requestAccess handles the form to request an account: it calls api.RequestAccess.
func (p *Pages) requestAccess(v *visit) error {
	form := api.NewAccessRequest{
		Name: v.r.PostForm.Get("name"), Organisation: v.r.PostForm.Get("organisation"), Email: v.r.PostForm.Get("email"), Reason: v.r.PostForm.Get("reason"),
	}
	if _, err := client.Call(v.r.Context(), v.client, api.RequestAccess, &api.RequestAccessInput{Body: form}); err != nil {
		problem := p.formProblem(v, err)
		return p.writeRequestAccess(v, problem.Status, requestAccessPage{Form: form}, problem.Detail)
	}
	return p.writeRequestAccess(v, http.StatusAccepted, requestAccessPage{Done: true}, "")
}

// formProblem converts err to a problem, which the page of a form can show. If the problem has a
// RetryAfter, it sets the header Retry-After.
func (p *Pages) formProblem(v *visit, err error) *api.Problem {
	problem := p.problemFromError(v.r.Context(), err)
	if problem.RetryAfter > 0 {
		v.w.Header().Set("Retry-After", strconv.Itoa(problem.RetryAfter))
	}
	return problem
}

// showPassword shows the form that a one-time link opens. The link is still valid afterwards,
// because mail programs open links to check them.
func (p *Pages) showPassword(v *visit) error {
	code := v.r.URL.Query().Get("code")
	link, err := p.opts.Link(v.r.Context(), code)
	if err != nil {
		problem := p.formProblem(v, err)
		return p.writePassword(v, problem.Status, passwordPage{}, problem.Detail)
	}
	return p.writePassword(v, http.StatusOK, passwordPage{Code: code, Email: link.Email, First: link.First}, "")
}

func (p *Pages) writePassword(v *visit, status int, data passwordPage, message string) error {
	title := "Set a password"
	if data.First {
		title = "Create the first administrator"
	}
	return p.show(v, status, "password", page{Title: title, Error: message, Data: data})
}

// setPassword handles the form that a one-time link opens: it calls api.SetPassword.
func (p *Pages) setPassword(v *visit) error {
	form := v.r.PostForm
	data := passwordPage{Code: form.Get("code"), ServiceURL: p.opts.BaseURL(v.r)}
	link, err := p.opts.Link(v.r.Context(), data.Code)
	if err != nil {
		// The code is invalid. SetPassword, below, rejects it, too, and counts the failed attempt.
		link, data.Code = nil, ""
	}
	in := &api.SetPasswordInput{Body: api.NewPassword{Code: form.Get("code"), Password: form.Get("password")}}
	if link != nil {
		data.Email, data.First = link.Email, link.First
		if link.First {
			data.Email = form.Get("email")
			in.Body.Email = &data.Email
		}
		if in.Body.Password != form.Get("repeated") {
			return p.writePassword(v, http.StatusUnprocessableEntity, data, "the two passwords differ")
		}
	}
	owner, err := client.Call(v.r.Context(), v.client, api.SetPassword, in)
	if err != nil {
		problem := p.formProblem(v, err)
		if problem.Code == api.CodeForbidden {
			data.Code = "" // the page then says that the link is invalid
		}
		return p.writePassword(v, problem.Status, data, problem.Detail)
	}
	data.Email, data.Done = owner.Username, true
	return p.writePassword(v, http.StatusOK, data, "")
}
