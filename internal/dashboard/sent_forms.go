package dashboard

import (
	"crypto/sha256"
	"net/url"
	"sync"
)

// maxSentForms is the maximum number of forms that sentForms remembers.
const maxSentForms = 1000

// sentForms remembers the page to which each sent form has led, so that a form that is sent twice, for
// example by a double click in a browser without scripts, creates one object. Only the process that
// received a form knows it.
type sentForms struct {
	mu    sync.Mutex        // held while an object is created
	pages map[string]string // by the hash of the values
}

// once calls create and returns its result, the path of a page, unless the same values were sent before and
// led to a page. The values have the one-time key of the form in the field formKey. Without it, once always
// calls create.
func (s *sentForms) once(values url.Values, create func() (path string, err error)) (path string, err error) {
	if !values.Has("formKey") {
		return create()
	}
	hash := sha256.Sum256([]byte(values.Encode()))
	id := string(hash[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	if path := s.pages[id]; path != "" {
		return path, nil
	}
	if path, err = create(); err != nil {
		return "", err
	}
	if s.pages == nil || len(s.pages) >= maxSentForms {
		s.pages = map[string]string{}
	}
	s.pages[id] = path
	return path, nil
}
