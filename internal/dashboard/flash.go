package dashboard

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// flashKind is a kind of flash messages. A flash message is a cookie that passes data from the
// response to a form to the page that the browser loads next. It is needed for data that the
// service cannot show again, such as a one-time link. The response redirects to the page, because
// reloading the response itself would send the form again.
type flashKind struct {
	// parameter is the query parameter of the page. Its value is the identifier of the message.
	parameter string
	// seconds is how long the browser keeps the message.
	seconds int
}

// identify returns the identifier of the message with this text: a MAC whose key is the token of
// the session. Therefore a page shows only messages of its own session. Without TLS, other hosts of
// the same site could set cookies for this one, but they do not know the token.
func (k flashKind) identify(v *visit, text string) string {
	mac := hmac.New(sha256.New, []byte(v.token))
	mac.Write([]byte(k.parameter + " " + text)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// flashCookieName returns the name of the cookie that has the message with this identifier. Each
// message has a cookie of its own, because several pages may be open.
func (p *Pages) flashCookieName(v *visit, id string) string {
	return p.cookieName(v.r) + "-message-" + id
}

// redirectWithFlash redirects to the page with this path, and puts a message for it into a
// cookie.
func (p *Pages) redirectWithFlash(v *visit, path string, kind flashKind, message any) error {
	encoded, err := json.Marshal(message)
	if err != nil {
		return err
	}
	text := base64.RawURLEncoding.EncodeToString(encoded)
	id := kind.identify(v, text)
	p.setCookie(v, p.flashCookieName(v, id), text, kind.seconds)
	return v.redirect(path + "?" + url.Values{kind.parameter: {id}}.Encode())
}

// readFlash reads the message with this identifier into message. It returns false if the browser no
// longer has the message, or if it is not of this session.
func (p *Pages) readFlash(v *visit, kind flashKind, id string, message any) bool {
	cookie, err := v.r.Cookie(p.flashCookieName(v, id))
	if err != nil || !hmac.Equal([]byte(id), []byte(kind.identify(v, cookie.Value))) {
		return false
	}
	encoded, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	return err == nil && json.Unmarshal(encoded, message) == nil
}

// deleteFlashes makes the browser delete the messages of a kind that this session can read. If kind
// is nil, it deletes all messages.
func (p *Pages) deleteFlashes(v *visit, kind *flashKind) {
	for _, cookie := range v.r.Cookies() {
		id, isMessage := strings.CutPrefix(cookie.Name, p.flashCookieName(v, ""))
		if isMessage && (kind == nil || hmac.Equal([]byte(id), []byte(kind.identify(v, cookie.Value)))) {
			p.deleteFlash(v, id)
		}
	}
}

// deleteFlash makes the browser delete the message with this identifier.
func (p *Pages) deleteFlash(v *visit, id string) { p.setCookie(v, p.flashCookieName(v, id), "", 0) }
