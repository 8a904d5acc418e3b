package dashboard

import (
	"net/http"
	"slices"

	"foretell/internal/api"
	"foretell/internal/client"
)

// accountPage is the data of the page of the visitor's account.
type accountPage struct {
	Sessions []sessionView
	// NewSecondFactor is the secret of a new authenticator app, or nil.
	NewSecondFactor *secondFactorSetup
}

// sessionView is a line in the list of sessions. It stands for all sessions with the same client
// and address, because a program that often logs in has many.
type sessionView struct {
	api.SessionEntry // the newest of these sessions
	// ClientName is the name of the client, such as "Firefox 128 on Linux".
	ClientName string
	// Keys are the keys of all these sessions.
	Keys []string
}

// groupSessions returns the lines of the list of sessions, newest first. The session of the visitor
// has a line of its own.
func groupSessions(sessions []api.SessionEntry) []sessionView {
	var views []sessionView
	for _, s := range sessions {
		name := clientName(s.Client)
		i := slices.IndexFunc(views, func(v sessionView) bool {
			return v.ClientName == name && v.RemoteAddress == s.RemoteAddress && !v.Current && !s.Current
		})
		if i < 0 {
			i, views = len(views), append(views, sessionView{SessionEntry: s, ClientName: name})
		}
		views[i].Keys = append(views[i].Keys, s.SessionKey)
	}
	return views
}

func (p *Pages) showAccount(v *visit) error {
	if v.r.URL.Query().Get("second-factor") == "required" && !v.account.SecondFactor {
		required := &api.Problem{Status: http.StatusOK, Detail: "This service requires an authenticator app. Set one up below to continue."}
		return p.writeAccount(v, required, nil, nil)
	}
	if v.account.SecondFactor {
		p.deleteFlashes(v, &authenticatorFlash) // the app may have been confirmed elsewhere
	}
	messageID := v.r.URL.Query().Get(authenticatorFlash.parameter)
	if messageID == "" || v.account.SecondFactor {
		return p.writeAccount(v, nil, nil, nil)
	}
	setup, err := p.readSecondFactorSetup(v, messageID)
	if err != nil {
		return err
	}
	if setup == nil {
		ended := &api.Problem{Status: http.StatusOK, Detail: "The secret of the new authenticator app is no longer shown. Set up the app again."}
		return p.writeAccount(v, ended, nil, nil)
	}
	return p.writeAccount(v, nil, nil, setup)
}

// newPasswordFields are the fields of the form to change the password.
var newPasswordFields = []formField{{"currentPassword", "current", "Current password"}, {"newPassword", "new", "New password"}, {"repeated", "repeated", "Repeat it"}}

// writeAccount shows the page of the account. If problem is not nil, it says why a form was
// rejected, and fields holds the fields of this form. added is the new authenticator app whose secret
// is shown, or nil.
func (p *Pages) writeAccount(v *visit, problem *api.Problem, fields []formField, added *secondFactorSetup) error {
	sessions, err := client.Call(v.r.Context(), v.client, api.ListSessions, &api.None{})
	if err != nil {
		return err
	}
	data := accountPage{Sessions: groupSessions(sessions.Sessions), NewSecondFactor: added}
	content := page{Title: "Account", Section: "account", Data: data}
	if p.opts.Local == nil { // there are no such commands for a service in the process of a command
		content.Commands = []string{"foretell sessions list", "foretell sessions end --others"}
	}
	content.setProblem(problem, fields)
	return p.show(v, statusOf(problem), "account", content)
}

// changePassword changes the password, which ends all sessions of the account.
func (p *Pages) changePassword(v *visit) error {
	f := v.r.PostForm
	var err error
	if f.Get("new") != f.Get("repeated") {
		err = api.NewFieldProblem("repeated", "differs from the new password")
	} else {
		in := &api.ChangePasswordInput{Body: api.PasswordChange{CurrentPassword: f.Get("current"), NewPassword: f.Get("new")}}
		_, err = client.Call(v.r.Context(), v.client, api.ChangePassword, in)
	}
	if err != nil {
		return p.writeAccount(v, p.formProblem(v, err), newPasswordFields, nil)
	}
	p.setSessionCookie(v, "", 0)
	return v.redirect("/sign-in")
}

// endSession ends the sessions whose keys are in the form. If the form has no keys, it ends all
// sessions of the account except the session with which the form was sent.
func (p *Pages) endSession(v *visit) error {
	err := endSessions(v)
	if api.CodeFromError(err) == api.CodeForbidden { // the visitor must sign in again
		return p.writeAccount(v, p.formProblem(v, err), nil, nil)
	}
	if err != nil {
		return err
	}
	return v.redirect("/account")
}

// endSessions calls the API to end the sessions that endSession describes. A session that has
// already ended is not an error.
func endSessions(v *visit) error {
	keys := v.r.PostForm["key"]
	for _, key := range keys {
		_, err := client.Call(v.r.Context(), v.client, api.EndSession, &api.SessionInput{SessionKey: key})
		if err != nil && api.CodeFromError(err) != api.CodeNotFound { // not found means that the session has already ended
			return err
		}
	}
	if len(keys) == 0 {
		_, err := client.Call(v.r.Context(), v.client, api.EndOtherSessions, &api.None{})
		return err
	}
	return nil
}
