package dashboard

import (
	"net/http"

	"foretell/internal/api"
	"foretell/internal/client"
)

// forgottenPasswordPage is the data of the form to request a new password.
type forgottenPasswordPage struct {
	Email string
	// Done reports whether the request was sent.
	Done bool
	// NoMail reports that the service sends no emails, so the page has no form.
	NoMail bool
}

// sendsNoMail reports whether the service sends no emails. It returns false if that is unknown.
func (p *Pages) sendsNoMail(v *visit) bool {
	sends, err := p.opts.SendsMail(v.r.Context())
	return err == nil && !sends
}

func (p *Pages) showForgottenPassword(v *visit) error {
	return p.writeForgottenPassword(v, http.StatusOK, forgottenPasswordPage{NoMail: p.sendsNoMail(v)}, nil)
}

// forgottenFields are the fields of the form to request a new password.
var forgottenFields = []formField{{"email", "email", "Email"}}

func (p *Pages) writeForgottenPassword(v *visit, status int, data forgottenPasswordPage, problem *api.Problem) error {
	content := page{Title: "Request a new password", Data: data}
	content.setProblem(problem, forgottenFields)
	return p.show(v, status, "forgotten_password", content)
}

// requestPassword handles the form to request a new password: it calls api.RequestPassword.
func (p *Pages) requestPassword(v *visit) error {
	email := v.r.PostForm.Get("email")
	in := &api.RequestPasswordInput{Body: api.ForgottenPassword{Email: email}}
	if _, err := client.Call(v.r.Context(), v.client, api.RequestPassword, in); err != nil {
		problem := p.formProblem(v, err)
		return p.writeForgottenPassword(v, problem.Status, forgottenPasswordPage{Email: email}, problem)
	}
	return p.writeForgottenPassword(v, http.StatusAccepted, forgottenPasswordPage{Done: true}, nil)
}
