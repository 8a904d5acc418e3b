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
	Secret string // in groups of four characters
	// Added is the answer of the service, which the form sends back.
	Added api.SecondFactor
	// Side is the number of modules (squares) on a side of the QR code, including its margin.
	// Modules is an SVG path of the dark modules.
	Side    int
	Modules string
}

// qrMargin is the number of light modules around a QR code that scanners need.
const qrMargin = 4

func newSecondFactorSetup(f *api.SecondFactor) (*secondFactorSetup, error) {
	code, err := qr.Encode(f.URL, qr.M)
	if err != nil {
		return nil, err
	}
	out := &secondFactorSetup{Added: *f, Side: code.Size + 2*qrMargin}
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
	addAppFields     = []formField{{"currentPassword", "add-current", "Current password"}}
	confirmAppFields = []formField{{"authenticatorCode", "code", "Code"}}
	removeAppFields  = []formField{{"currentPassword", "remove-current", "Current password"}, {"authenticatorCode", "remove-code", "Code"}}
)

// addSecondFactor shows the secret of a new authenticator app.
func (p *Pages) addSecondFactor(v *visit) error {
	in := &api.AddSecondFactorInput{Body: api.SecondFactorPassword{CurrentPassword: v.r.PostForm.Get("current")}}
	added, err := client.Call(v.r.Context(), v.client, api.AddSecondFactor, in)
	if err != nil {
		return p.writeAccount(v, p.formProblem(v, err), addAppFields, nil)
	}
	shown, err := newSecondFactorSetup(added)
	if err != nil {
		return err
	}
	return p.writeAccount(v, nil, nil, shown)
}

// confirmSecondFactor confirms the new authenticator app with a code. After a wrong code, the page
// shows the secret again. It is in the form, because the service shows a secret only once.
func (p *Pages) confirmSecondFactor(v *visit) error {
	f := v.r.PostForm
	in := &api.ConfirmSecondFactorInput{Body: api.SecondFactorCode{AuthenticatorCode: f.Get("code")}}
	_, err := client.Call(v.r.Context(), v.client, api.ConfirmSecondFactor, in)
	if secret, url := f.Get("secret"), f.Get("url"); api.CodeFromError(err) == api.CodeForbidden && secret != "" {
		shown, setupErr := newSecondFactorSetup(&api.SecondFactor{Secret: secret, URL: url})
		if setupErr != nil {
			return setupErr
		}
		return p.writeAccount(v, p.formProblem(v, err), confirmAppFields, shown)
	}
	return p.showErrorOrAccount(v, err, nil)
}

// removeSecondFactor removes the authenticator app.
func (p *Pages) removeSecondFactor(v *visit) error {
	f := v.r.PostForm
	in := &api.RemoveSecondFactorInput{Body: api.SecondFactorRemoval{CurrentPassword: f.Get("current"), AuthenticatorCode: f.Get("code")}}
	_, err := client.Call(v.r.Context(), v.client, api.RemoveSecondFactor, in)
	return p.showErrorOrAccount(v, err, removeAppFields)
}

// showErrorOrAccount redirects to the page of the account, or shows err there if it is not nil.
// fields has the fields of the form that was sent, or is nil if the page does not show this form
// again.
func (p *Pages) showErrorOrAccount(v *visit, err error, fields []formField) error {
	if err != nil {
		return p.writeAccount(v, p.formProblem(v, err), fields, nil)
	}
	return v.redirect("/account")
}
