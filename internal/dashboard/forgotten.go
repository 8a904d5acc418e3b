package dashboard

import (
	"net/http"

	"foretell/internal/api"
	"foretell/internal/client"
)

// forgottenPage is the data of the form to request a new password.
type forgottenPage struct {
	Email string
	Done  bool
}

func (p *Pages) showForgotten(v *visit) error {
	return p.writeForgotten(v, http.StatusOK, forgottenPage{}, "")
}

func (p *Pages) writeForgotten(v *visit, status int, data forgottenPage, message string) error {
	return p.show(v, status, "forgotten_password", page{Title: "Request a new password", Error: message, Data: data})
}

// requestPassword handles the form to request a new password: it calls api.RequestPassword.
func (p *Pages) requestPassword(v *visit) error {
	email := v.r.PostForm.Get("email")
	in := &api.RequestPasswordInput{Body: api.ForgottenPassword{Email: email}}
	if _, err := client.Call(v.r.Context(), v.client, api.RequestPassword, in); err != nil {
		problem := p.formProblem(v, err)
		return p.writeForgotten(v, problem.Status, forgottenPage{Email: email}, problem.Detail)
	}
	return p.writeForgotten(v, http.StatusAccepted, forgottenPage{Done: true}, "")
}
