package dashboard

import (
	"net/http"

	"foretell/internal/api"
	"foretell/internal/client"
)

// requestAccessPage is the template data of the form to request an account.
type requestAccessPage struct {
	Form api.NewAccessRequest
	// Done reports whether the request was sent.
	Done bool
}

// passwordPage is the data of the form that a one-time link opens.
type passwordPage struct {
	// Code is the code of the link. It is empty if the link is invalid.
	Code, Email string
	// NoMail reports that the link is invalid and that the service cannot send a new link by email.
	NoMail bool
	// First reports whether the link creates the first administrator.
	First bool
	// Done reports whether the password was set. ServiceURL is then the URL for `foretell login`.
	Done       bool
	ServiceURL string
}

// accessFields are the fields of the form to request an account.
var accessFields = []formField{
	{"name", "name", "Name"}, {"organisation", "organisation", "Organisation"}, {"email", "email", "Email"}, {"reason", "reason", "What do you need the account for?"},
}

func (p *Pages) showRequestAccess(v *visit) error {
	return p.writeRequestAccess(v, http.StatusOK, requestAccessPage{}, nil)
}

func (p *Pages) writeRequestAccess(v *visit, status int, data requestAccessPage, problem *api.Problem) error {
	content := page{Title: "Request an account", Data: data}
	content.setProblem(problem, accessFields)
	return p.show(v, status, "request_access", content)
}

// requestAccess handles the form to request an account: it calls api.RequestAccess.
func (p *Pages) requestAccess(v *visit) error {
	form := api.NewAccessRequest{
		Name: v.r.PostForm.Get("name"), Organisation: v.r.PostForm.Get("organisation"), Email: v.r.PostForm.Get("email"), Reason: v.r.PostForm.Get("reason"),
	}
	if _, err := client.Call(v.r.Context(), v.client, api.RequestAccess, &api.RequestAccessInput{Body: form}); err != nil {
		problem := p.formProblem(v, err)
		return p.writeRequestAccess(v, problem.Status, requestAccessPage{Form: form}, problem)
	}
	return p.writeRequestAccess(v, http.StatusAccepted, requestAccessPage{Done: true}, nil)
}

// showPassword shows the form that a one-time link opens. Opening the link does not use it up,
// because mail programs open links to check them.
func (p *Pages) showPassword(v *visit) error {
	code := v.r.URL.Query().Get("code")
	link, err := p.opts.Link(v.r.Context(), code)
	if err != nil {
		problem := p.formProblem(v, err)
		return p.writePassword(v, passwordPage{}, problem)
	}
	return p.writePassword(v, passwordPage{Code: code, Email: link.Email, First: link.CreatesFirstAdministrator}, nil)
}

// passwordFields are the fields of the form that a one-time link opens.
var passwordFields = []formField{{"email", "email", "Email"}, {"password", "password", "New password"}, {"repeated", "repeated", "Repeat it"}}

func (p *Pages) writePassword(v *visit, data passwordPage, problem *api.Problem) error {
	title := "Set a password"
	if data.First {
		title = "Create the first administrator"
	}
	data.NoMail = data.Code == "" && !data.Done && p.sendsNoMail(v)
	content := page{Title: title, Data: data}
	content.setProblem(problem, passwordFields)
	return p.show(v, statusOf(problem), "password", content)
}

// setPassword handles the form that a one-time link opens: it calls api.SetPassword.
func (p *Pages) setPassword(v *visit) error {
	form := v.r.PostForm
	data := passwordPage{Code: form.Get("code"), ServiceURL: p.opts.BaseURL(v.r)}
	link, err := p.opts.Link(v.r.Context(), data.Code)
	if err != nil {
		// The code is invalid. The call of SetPassword below also rejects the code, and counts the
		// failed attempt.
		link, data.Code = nil, ""
	}
	in := &api.SetPasswordInput{Body: api.NewPassword{Code: form.Get("code"), Password: form.Get("password")}}
	if link != nil {
		data.Email, data.First = link.Email, link.CreatesFirstAdministrator
		if link.CreatesFirstAdministrator {
			data.Email = form.Get("email")
			in.Body.Email = &data.Email
		}
		if in.Body.Password != form.Get("repeated") {
			return p.writePassword(v, data, api.NewFieldProblem("repeated", "differs from the new password"))
		}
	}
	owner, err := client.Call(v.r.Context(), v.client, api.SetPassword, in)
	if err != nil {
		problem := p.formProblem(v, err)
		if problem.Code == api.CodeForbidden {
			data.Code = "" // the page then says that the link is invalid
		}
		return p.writePassword(v, data, problem)
	}
	data.Email, data.Done = owner.Username, true
	return p.writePassword(v, data, nil)
}
