package store

import (
	"context"
	"time"

	"foretell/internal/store/database"
)

// AccessRequest is a person's request to get an account.
type AccessRequest struct {
	Key, Email, Name, Organisation, Reason string
	// Status is api.RequestPending, api.RequestApproved or api.RequestRefused.
	Status  string
	Created time.Time
	// Decided is when the request was approved or refused. DecidedBy is who decided, as in the
	// audit log: the email of the administrator, or "operator" for a command on the data folder.
	Decided   time.Time
	DecidedBy string
}

const accessRequestColumns = "key, email, name, organisation, reason, status, created, decided, decided_by"

func scanAccessRequest(row rowScanner) (*AccessRequest, error) {
	var r AccessRequest
	var created, decided int64
	err := row.Scan(&r.Key, &r.Email, &r.Name, &r.Organisation, &r.Reason, &r.Status, &created, &decided, &r.DecidedBy)
	r.Created, r.Decided = fromMicros(created), fromMicros(decided)
	return &r, err
}

// InsertAccessRequest adds a request. If the email already has a PENDING request, it
// adds nothing and returns false.
func (t *Tx) InsertAccessRequest(ctx context.Context, r *AccessRequest) (inserted bool, err error) {
	result, err := t.tx.ExecContext(ctx, "INSERT INTO access_request ("+accessRequestColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		r.Key, r.Email, r.Name, r.Organisation, r.Reason, r.Status, toMicros(r.Created), toMicros(r.Decided), r.DecidedBy)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// GetAccessRequest returns the request with this key. It returns ErrNotFound if the request does not exist.
func (t *Tx) GetAccessRequest(ctx context.Context, key string) (*AccessRequest, error) {
	r, err := scanAccessRequest(t.tx.QueryRowContext(ctx, "SELECT "+accessRequestColumns+" FROM access_request WHERE key = ?", key))
	return r, database.TranslateError(err)
}

// ListAccessRequests returns a page of the requests with a status, newest first, and
// the number of requests on all pages. If status is empty, it lists all requests.
func (t *Tx) ListAccessRequests(ctx context.Context, status string, page Page) (requests []*AccessRequest, total int64, err error) {
	q := listQuery{columns: accessRequestColumns, from: "access_request", order: "created DESC, key"}
	if status != "" {
		q.addCondition("status = ?", status)
	}
	return listPage(ctx, t, q, page, scanAccessRequest)
}

// DeleteAccessRequestsOf deletes all requests of an email.
func (t *Tx) DeleteAccessRequestsOf(ctx context.Context, email string) error {
	return t.exec(ctx, "DELETE FROM access_request WHERE email = ?", email)
}

// DeleteAccessRequestsDecidedBefore deletes the requests that were approved or refused before a
// time.
func (t *Tx) DeleteAccessRequestsDecidedBefore(ctx context.Context, before time.Time) error {
	return t.exec(ctx, "DELETE FROM access_request WHERE decided > 0 AND decided < ?", toMicros(before))
}

// UpdateAccessRequest stores Status, Decided and DecidedBy of r. It returns ErrWrongState unless
// the stored status is fromState.
func (t *Tx) UpdateAccessRequest(ctx context.Context, r *AccessRequest, fromState string) error {
	return t.execRequired(ctx, ErrWrongState, "UPDATE access_request SET status = ?, decided = ?, decided_by = ? WHERE key = ? AND status = ?",
		r.Status, toMicros(r.Decided), r.DecidedBy, r.Key, fromState)
}
