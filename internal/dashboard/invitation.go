package dashboard

import "foretell/internal/api"

// invitationView is the message about a new one-time link.
type invitationView struct {
	// Email is the email of the account. Link is the link, or "" if it was sent by email.
	Email, Link string
	// WasShown reports that an earlier request for the page has shown the message, so this request
	// cannot show it again. The other fields are then empty.
	WasShown bool
}

// invitationFlash is the kind of the messages about new one-time links. The service stores only the
// hash of a link. The browser keeps the link for a minute at most, until it has loaded the page
// that shows the link.
var invitationFlash = flashKind{parameter: "new-link", seconds: 60}

// redirectToInvitation redirects to the page with this path, which shows the one-time link of an
// invitation.
func (p *Pages) redirectToInvitation(v *visit, path string, invitation *api.Invitation) error {
	return p.redirectWithFlash(v, path, invitationFlash, invitationView{Email: invitation.Email, Link: invitation.Link})
}

// takeInvitation returns the message about a new one-time link for the requested page, or nil if the
// request asks for no such message. It deletes the message, so that each link is shown only once. If
// the message no longer exists, the result has only WasShown.
func (p *Pages) takeInvitation(v *visit) *invitationView {
	id := v.r.URL.Query().Get(invitationFlash.parameter)
	if id == "" {
		return nil
	}
	var shown invitationView
	if !p.readFlash(v, invitationFlash, id, &shown) {
		return &invitationView{WasShown: true}
	}
	p.deleteFlash(v, id)
	return &shown
}
