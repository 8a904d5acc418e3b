package dashboard

import (
	"context"
	"slices"
	"sync"
	"time"

	"foretell/internal/api"
)

const (
	// uploadHeader is the header with the identifier of an upload, which the script of a page
	// chooses at random.
	uploadHeader = "Foretell-Upload"
	// uploadOutcomeAge is how long the outcome of an upload is remembered, and uploadOutcomeWait how long a
	// request for it waits.
	uploadOutcomeAge  = 5 * time.Minute
	uploadOutcomeWait = 20 * time.Second
	// maxUploadIDLen is the maximum length of an identifier. Longer identifiers are ignored.
	maxUploadIDLen = 64
	// maxUploadOutcomes is the maximum number of ended uploads that are remembered for an account.
	maxUploadOutcomes = 20
	// uploadOutcomePurge is the interval at which outcomes older than uploadOutcomeAge are removed for all
	// accounts.
	uploadOutcomePurge = time.Minute
)

// uploadOutcomes remembers how uploads have ended. If a visitor cancels an upload, the page does
// not get the response to it. The page then asks how the upload ended. Only the process that
// received the upload can answer. Other processes of the service answer that the outcome is
// unknown.
type uploadOutcomes struct {
	mu sync.Mutex
	// byAccount holds the uploads of each account, by its key, in the order in which they have begun.
	byAccount map[string][]*uploadOutcome
	purged    time.Time // when old uploads of all accounts were last removed
}

// createdObject is an object that an upload has created. If the upload has created nothing, Noun
// and Path are "".
type createdObject struct {
	Noun string // dataset or prediction
	Path string // the path of its page
	// IsLeft is set if the upload failed and the object could not be deleted.
	IsLeft bool
}

// uploadOutcome is how an upload has ended.
type uploadOutcome struct {
	id      string
	done    chan struct{} // closed when the upload has ended; the other fields are then set
	time    time.Time     // when the upload ended
	created createdObject
}

// begin records that the upload of a request has begun. The caller must call the returned function
// when the upload has ended.
func (u *uploadOutcomes) begin(v *visit, now func() time.Time) (end func()) {
	account, id := v.account.AccountKey, v.r.Header.Get(uploadHeader)
	if id == "" || len(id) > maxUploadIDLen {
		return func() {} // without scripts, an upload is not cancelled on its page
	}
	one := &uploadOutcome{id: id, done: make(chan struct{})}
	u.mu.Lock()
	defer u.mu.Unlock()
	if now().Sub(u.purged) > uploadOutcomePurge {
		u.purge(now())
	}
	u.byAccount[account] = append(dropOldest(u.byAccount[account]), one)
	return func() {
		one.time, one.created = now(), v.created
		close(one.done)
	}
}

// purge removes the outcomes that are older than uploadOutcomeAge. The caller must hold u.mu.
func (u *uploadOutcomes) purge(now time.Time) {
	u.purged = now
	for account, list := range u.byAccount {
		list = slices.DeleteFunc(list, func(one *uploadOutcome) bool { return isClosed(one.done) && now.Sub(one.time) > uploadOutcomeAge })
		if u.byAccount[account] = list; len(list) == 0 {
			delete(u.byAccount, account)
		}
	}
}

// dropOldest removes the oldest ended uploads until fewer than maxUploadOutcomes ended uploads
// remain. It keeps all uploads that have not ended.
func dropOldest(list []*uploadOutcome) []*uploadOutcome {
	ended := 0
	for _, one := range list {
		if isClosed(one.done) {
			ended++
		}
	}
	return slices.DeleteFunc(list, func(one *uploadOutcome) bool {
		if ended < maxUploadOutcomes || !isClosed(one.done) {
			return false
		}
		ended--
		return true
	})
}

// wait waits until an upload has ended, and returns what it has created. It returns false if the
// upload is unknown, or if it does not end within uploadOutcomeWait.
func (u *uploadOutcomes) wait(ctx context.Context, account, id string) (created createdObject, ok bool) {
	one := u.find(account, id)
	if one == nil {
		return createdObject{}, false
	}
	ctx, stop := context.WithTimeout(ctx, uploadOutcomeWait)
	defer stop()
	select {
	case <-one.done:
		return one.created, true
	case <-ctx.Done():
		return createdObject{}, false
	}
}

// find returns the last upload of an account with this identifier, or nil.
func (u *uploadOutcomes) find(account, id string) *uploadOutcome {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, one := range slices.Backward(u.byAccount[account]) {
		if one.id == id {
			return one
		}
	}
	return nil
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// recordUploadOutcome returns a visitFunc that calls upload and records which object the upload has
// created. showUploadOutcome shows this record.
func (p *Pages) recordUploadOutcome(upload visitFunc) visitFunc {
	return func(v *visit) error {
		defer p.uploadOutcomes.begin(v, p.opts.Now)()
		return upload(v)
	}
}

// showUploadOutcome responds with a message about the end of an upload that the visitor has cancelled.
func (p *Pages) showUploadOutcome(v *visit) error {
	created, ok := p.uploadOutcomes.wait(v.r.Context(), v.account.AccountKey, v.r.PathValue("id"))
	if !ok {
		return api.NewProblem(api.CodeNotFound, "the upload is unknown or has not ended")
	}
	return p.templates()["error"].ExecuteTemplate(v.w, "upload-end", created)
}
