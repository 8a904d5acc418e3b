package dashboard

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"foretell/internal/api"
)

// invitationView is the message about a new one-time link.
type invitationView struct {
	// Email is the email of the account. Link is the link, or "" if it was sent by email.
	Email, Link string
	// WasShown reports that an earlier request for the page has shown the message, so this one
	// cannot show it. The other fields are then empty.
	WasShown bool
}

const (
	// invitationSeconds is how long a browser keeps a one-time link if it does not load the page
	// that shows the link.
	invitationSeconds = 60
	// newLinkParameter is the query parameter of the page that shows the message about a one-time
	// link. Its value is that of invitationID.
	newLinkParameter = "new-link"
)

// invitationID returns the identifier of a message about a one-time link: a MAC of its text, whose
// key is the token of the session. So a page shows only messages of its own session. Without TLS,
// other hosts of the same site can set cookies for this one, but they do not know the token.
func invitationID(v *visit, text string) string {
	mac := hmac.New(sha256.New, []byte(v.token))
	mac.Write([]byte(text)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// invitationCookieName returns the name of the cookie that has the message with this identifier
// from the response to a form until the next page. Each message has its own cookie, because
// several pages may be open.
func (p *Pages) invitationCookieName(r *http.Request, id string) string {
	return p.cookieName(r) + "-link-" + id
}

// redirectToInvitation redirects to the page with this path, which shows the one-time link of an
// invitation. The page is not the response to the form itself: reloading such a response sends the
// form again, which would end the link that was just handed over. The service stores only the hash
// of a link, so a cookie has the link until the page shows it.
func (p *Pages) redirectToInvitation(v *visit, path string, invitation *api.Invitation) error {
	message, err := json.Marshal(invitationView{Email: invitation.Email, Link: invitation.Link})
	if err != nil {
		return err
	}
	text := base64.RawURLEncoding.EncodeToString(message)
	id := invitationID(v, text)
	p.setCookie(v, p.invitationCookieName(v.r, id), text, invitationSeconds)
	return v.redirect(path + "?" + newLinkParameter + "=" + id)
}

// takeInvitation returns the message about a new one-time link for the requested page, or nil if
// the request has no such message. It deletes the cookie, so that each link is shown only once.
func (p *Pages) takeInvitation(v *visit) *invitationView {
	id := v.r.URL.Query().Get(newLinkParameter)
	if id == "" {
		return nil
	}
	cookie, err := v.r.Cookie(p.invitationCookieName(v.r, id))
	if err != nil || !hmac.Equal([]byte(id), []byte(invitationID(v, cookie.Value))) {
		return &invitationView{WasShown: true}
	}
	p.setCookie(v, cookie.Name, "", 0)
	message, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	var shown invitationView
	if err != nil || json.Unmarshal(message, &shown) != nil {
		return nil
	}
	return &shown
}
