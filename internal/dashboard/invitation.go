package dashboard

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"foretell/internal/api"
)

// invitationView is the message about a new one-time link.
type invitationView struct {
	// Email is the email of the account. Link is the link, or "" if it was sent by email.
	Email, Link string
	// WasShown reports that an earlier request for the page has shown the link, so this one cannot
	// show it. The other fields are then empty.
	WasShown bool
}

const (
	// invitationSeconds is how long a browser keeps a one-time link if it does not load the page
	// that shows the link.
	invitationSeconds = 60
	// newLinkParameter is the query parameter of the page that shows a one-time link.
	newLinkParameter = "new-link"
)

// invitationCookieName returns the name of the cookie that has the link from the response to a form
// until the next page.
func (p *Pages) invitationCookieName(r *http.Request) string { return p.cookieName(r) + "-link" }

// redirectToInvitation redirects to the page with this path, which shows the one-time link of an
// invitation. The page is not the response to the form itself: reloading such a response sends the
// form again, which would end the link that was just handed over. The service stores only the hash
// of a link, so a cookie has the link until the page shows it.
func (p *Pages) redirectToInvitation(v *visit, path string, invitation *api.Invitation) error {
	text, err := json.Marshal(invitationView{Email: invitation.Email, Link: invitation.Link})
	if err != nil {
		return err
	}
	p.setCookie(v, p.invitationCookieName(v.r), base64.RawURLEncoding.EncodeToString(text), invitationSeconds)
	if invitation.Link != "" {
		path += "?" + newLinkParameter + "=yes"
	}
	return v.redirect(path)
}

// takeInvitation returns the message about a new one-time link for the requested page, or nil if
// the request has no such message. It deletes the cookie, so that each link is shown only once.
func (p *Pages) takeInvitation(v *visit) *invitationView {
	cookie, err := v.r.Cookie(p.invitationCookieName(v.r))
	if err != nil { // there is no cookie
		if v.r.URL.Query().Has(newLinkParameter) {
			return &invitationView{WasShown: true}
		}
		return nil
	}
	p.setCookie(v, cookie.Name, "", 0)
	text, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	var shown invitationView
	if err != nil || json.Unmarshal(text, &shown) != nil || shown.Email == "" {
		return nil
	}
	return &shown
}
