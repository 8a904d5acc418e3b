package dashboard

import (
	"crypto/sha256"
	"sync"
)

// maxSentForms is the maximum number of forms that sentForms remembers.
const maxSentForms = 1000

// sentForms remembers the page to which each sent form has led, so that a form that is sent twice, for
// example by a double click in a browser without scripts, creates one object. Only the process that
// received a form knows it.
type sentForms struct {
	mu    sync.Mutex
	forms map[[sha256.Size]byte]*sentForm // by the hash of the account, the path and the values
}

// sentForm is a form that was sent.
type sentForm struct {
	done chan struct{} // closed when the creation has ended
	path string        // the path of the page; "" until done is closed, or if the creation has failed
}

// once calls create and returns its result, the path of a page. If the account has already sent the
// same values to the same path, once instead returns the result of that first call, for which it
// waits if necessary. If that call has failed, the form counts as not sent. The values include the
// one-time key of the form, in the field formKey. Without this key, once always calls create.
func (s *sentForms) once(v *visit, create func() (path string, err error)) (path string, err error) {
	if v.r.PostForm.Get("formKey") == "" {
		return create()
	}
	id := sha256.Sum256([]byte(v.account.AccountKey + "\n" + v.r.URL.Path + "\n" + v.r.PostForm.Encode()))
	for {
		form, isNew := s.add(id)
		if isNew {
			defer s.end(id, form)
			form.path, err = create()
			return form.path, err
		}
		select {
		case <-form.done:
			if form.path != "" {
				return form.path, nil
			}
		case <-v.r.Context().Done():
			return "", v.r.Context().Err()
		}
	}
}

// add returns the form with the given hash. If it was not sent before, add stores it, and isNew is true.
func (s *sentForms) add(id [sha256.Size]byte) (form *sentForm, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if form := s.forms[id]; form != nil {
		return form, false
	}
	if s.forms == nil || len(s.forms) >= maxSentForms {
		s.forms = map[[sha256.Size]byte]*sentForm{}
	}
	form = &sentForm{done: make(chan struct{})}
	s.forms[id] = form
	return form, true
}

// end ends the creation for a form. If it has failed, the form can be sent again.
func (s *sentForms) end(id [sha256.Size]byte, form *sentForm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if form.path == "" && s.forms[id] == form {
		delete(s.forms, id)
	}
	close(form.done)
}
