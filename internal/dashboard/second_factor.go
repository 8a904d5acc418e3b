package dashboard

import (
	"fmt"
	"strings"

	"rsc.io/qr"

	"foretell/internal/api"
	"foretell/internal/client"
)

// secondFactorSetup is the secret of a new authenticator app, as text and as a QR code.
type secondFactorSetup struct {
	Secret string // the secret in groups of four characters
	// MessageID identifies the flash message with the secret (see [flashKind]). The form to confirm
	// the app sends it back.
	MessageID string
	// Side is the number of modules (squares) on a side of the QR code, including its margin.
	// Modules is an SVG path of the dark modules.
	Side    int
	Modules string
}

// qrMargin is the width of the light margin around a QR code, in modules. Scanners need this
// margin.
const qrMargin = 4

// authenticatorFlash is the kind of the messages with the secret of a new authenticator app. The
// service returns a secret only once. Until the app is confirmed, the page with the secret can be
// reloaded for at most 15 minutes.
var authenticatorFlash = flashKind{parameter: "new-app", seconds: 15 * 60}

// readSecondFactorSetup returns the secret in the flash message with this identifier, or nil if
// there is no such message.
func (p *Pages) readSecondFactorSetup(v *visit, messageID string) (*secondFactorSetup, error) {
	var added api.SecondFactor
	if !p.readFlash(v, authenticatorFlash, messageID, &added) {
		return nil, nil
	}
	setup, err := newSecondFactorSetup(&added)
	if err != nil {
		return nil, err
	}
	setup.MessageID = messageID
	return setup, nil
}

func newSecondFactorSetup(f *api.SecondFactor) (*secondFactorSetup, error) {
	code, err := qr.Encode(f.URL, qr.M)
	if err != nil {
		return nil, err
	}
	out := &secondFactorSetup{Side: code.Size + 2*qrMargin}
	var modules strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&modules, "M%d %dh1v1h-1z", x+qrMargin, y+qrMargin)
			}
		}
	}
	out.Modules = modules.String()
	for i, c := range f.Secret {
		if i > 0 && i%4 == 0 {
			out.Secret += " "
		}
		out.Secret += string(c)
	}
	return out, nil
}

// The fields of the forms to add, to confirm and to remove an authenticator app.
var (
	addAuthenticatorFields     = []formField{{"currentPassword", "add-current", "Current password"}}
	confirmAuthenticatorFields = []formField{{"authenticatorCode", "code", "Code"}}
	removeAuthenticatorFields  = []formField{{"currentPassword", "remove-current", "Current password"}, {"authenticatorCode", "remove-code", "Code"}}
)

// addSecondFactor adds an authenticator app, and redirects to the page that shows its secret.
func (p *Pages) addSecondFactor(v *visit) error {
	in := &api.AddSecondFactorInput{Body: api.SecondFactorPassword{CurrentPassword: v.r.PostForm.Get("current")}}
	added, err := client.Call(v.r.Context(), v.client, api.AddSecondFactor, in)
	if err != nil {
		return p.writeAccount(v, p.formProblem(v, err), addAuthenticatorFields, nil)
	}
	p.deleteFlashes(v, &authenticatorFlash) // their secrets are no longer valid
	return p.redirectWithFlash(v, "/account", authenticatorFlash, added)
}

// confirmSecondFactor confirms the new authenticator app with a code. After a wrong code, the page
// shows the secret again.
func (p *Pages) confirmSecondFactor(v *visit) error {
	f := v.r.PostForm
	in := &api.ConfirmSecondFactorInput{Body: api.SecondFactorCode{AuthenticatorCode: f.Get("code")}}
	_, err := client.Call(v.r.Context(), v.client, api.ConfirmSecondFactor, in)
	messageID := f.Get(authenticatorFlash.parameter)
	if api.CodeFromError(err) == api.CodeForbidden {
		setup, setupErr := p.readSecondFactorSetup(v, messageID)
		if setupErr != nil {
			return setupErr
		}
		if setup != nil {
			return p.writeAccount(v, p.formProblem(v, err), confirmAuthenticatorFields, setup)
		}
	}
	if err == nil {
		p.deleteFlashes(v, &authenticatorFlash)
	}
	return p.showErrorOrAccount(v, err, nil)
}

// removeSecondFactor removes the authenticator app.
func (p *Pages) removeSecondFactor(v *visit) error {
	f := v.r.PostForm
	in := &api.RemoveSecondFactorInput{Body: api.SecondFactorRemoval{CurrentPassword: f.Get("current"), AuthenticatorCode: f.Get("code")}}
	_, err := client.Call(v.r.Context(), v.client, api.RemoveSecondFactor, in)
	return p.showErrorOrAccount(v, err, removeAuthenticatorFields)
}

// showErrorOrAccount redirects to the page of the account if err is nil. Otherwise it shows err on
// this page. fields holds the fields of the form that was sent, or is nil if the page has no such
// form any more.
func (p *Pages) showErrorOrAccount(v *visit, err error, fields []formField) error {
	if err != nil {
		return p.writeAccount(v, p.formProblem(v, err), fields, nil)
	}
	return v.redirect("/account")
}
