package dashboard

import (
	"net/http"

	"foretell/internal/api"
	"foretell/internal/client"
)

// accountPage is the data of the page of the visitor's account.
type accountPage struct {
	Sessions []api.SessionEntry
}

func (p *Pages) showAccount(v *visit) error { return p.writeAccount(v, http.StatusOK, "") }

func (p *Pages) writeAccount(v *visit, status int, message string) error {
	sessions, err := client.Call(v.r.Context(), v.client, api.ListSessions, &api.None{})
	if err != nil {
		return err
	}
	return p.show(v, status, "account", page{
		Title: "Account", Section: "account", Error: message, Data: accountPage{Sessions: sessions.Sessions},
		Commands: []string{"foretell sessions list", "foretell sessions end --others"},
	})
}

// changePassword changes the password, which ends all sessions of the account.
func (p *Pages) changePassword(v *visit) error {
	f := v.r.PostForm
	var err error
	if f.Get("new") != f.Get("repeated") {
		err = api.NewFieldProblem("password", "the two new passwords differ")
	} else {
		in := &api.ChangePasswordInput{Body: api.PasswordChange{CurrentPassword: f.Get("current"), NewPassword: f.Get("new")}}
		_, err = client.Call(v.r.Context(), v.client, api.ChangePassword, in)
	}
	if err != nil {
		problem := p.formProblem(v, err)
		return p.writeAccount(v, problem.Status, problem.Detail)
	}
	p.setCookie(v, "", 0)
	return v.redirect("/sign-in")
}

// endSession ends the session of the form's key, or all others.
func (p *Pages) endSession(v *visit) error {
	var err error
	if key := v.r.PostForm.Get("key"); key != "" {
		_, err = client.Call(v.r.Context(), v.client, api.EndSession, &api.SessionInput{SessionKey: key})
	} else {
		_, err = client.Call(v.r.Context(), v.client, api.EndOtherSessions, &api.None{})
	}
	if err != nil && api.CodeFromError(err) != api.CodeNotFound { // it has ended meanwhile
		return err
	}
	return v.redirect("/account")
}
