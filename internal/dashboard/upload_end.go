package dashboard

import (
	"context"
	"sync"
	"time"

	"foretell/internal/api"
)

const (
	// uploadHeader is the header with the identifier of an upload, which the script of a page
	// chooses at random.
	uploadHeader = "Foretell-Upload"
	// uploadEndAge is how long the end of an upload is remembered, and uploadEndWait how long a
	// request for it waits.
	uploadEndAge  = 5 * time.Minute
	uploadEndWait = 20 * time.Second
	// maxUploadIDLen is the maximum length of an identifier. Longer ones, which no page sends, are
	// ignored.
	maxUploadIDLen = 64
)

// uploadEnds remembers how uploads have ended. The page of a cancelled upload does not get the
// response, so it asks afterwards. Another process of the service does not know the upload; the page
// then says that it does not know, either.
type uploadEnds struct {
	mu   sync.Mutex
	byID map[uploadID]*uploadEnd
}

// uploadID identifies an upload. So accounts cannot ask for the uploads of others.
type uploadID struct{ account, id string }

// createdObject is an object that an upload has created. Its fields are "" if there is none.
type createdObject struct {
	Noun string // dataset or prediction
	Path string // the path of its page
}

// uploadEnd is how an upload has ended.
type uploadEnd struct {
	done    chan struct{} // closed when the upload has ended; the other fields are then set
	time    time.Time
	created createdObject
}

// begin records that the upload of a request has begun. The caller must call the returned function
// when the upload has ended.
func (u *uploadEnds) begin(v *visit, now func() time.Time) (end func()) {
	id := uploadID{v.account.AccountKey, v.r.Header.Get(uploadHeader)}
	if id.id == "" || len(id.id) > maxUploadIDLen {
		return func() {} // without scripts, an upload is not cancelled on its page
	}
	one := &uploadEnd{done: make(chan struct{})}
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, earlier := range u.byID {
		if isClosed(earlier.done) && now().Sub(earlier.time) > uploadEndAge {
			delete(u.byID, id)
		}
	}
	u.byID[id] = one
	return func() {
		one.time, one.created = now(), v.created
		close(one.done)
	}
}

// wait waits until an upload has ended, and returns what it has created. It returns false if the
// upload is unknown, or if it does not end within uploadEndWait.
func (u *uploadEnds) wait(ctx context.Context, id uploadID) (created createdObject, ok bool) {
	u.mu.Lock()
	one := u.byID[id]
	u.mu.Unlock()
	if one == nil {
		return createdObject{}, false
	}
	ctx, stop := context.WithTimeout(ctx, uploadEndWait)
	defer stop()
	select {
	case <-one.done:
		return one.created, true
	case <-ctx.Done():
		return createdObject{}, false
	}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// recordEnd returns a visitFunc that calls upload and remembers what it created, for showUploadEnd.
func (p *Pages) recordEnd(upload visitFunc) visitFunc {
	return func(v *visit) error {
		defer p.uploadEnds.begin(v, p.opts.Now)()
		return upload(v)
	}
}

// showUploadEnd responds with a message that says how an upload has ended that the visitor has
// cancelled.
func (p *Pages) showUploadEnd(v *visit) error {
	created, ok := p.uploadEnds.wait(v.r.Context(), uploadID{v.account.AccountKey, v.r.PathValue("id")})
	if !ok {
		return api.NewProblem(api.CodeNotFound, "the upload is unknown or has not ended")
	}
	return p.templates()["error"].ExecuteTemplate(v.w, "upload-end", created)
}
