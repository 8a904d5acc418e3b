package blob

import (
	"context"
	"errors"
	"io"
	"strings"
)

// identityName is the name of the blob that holds the identity of the store: a random text that
// the database of the store has, too.
const identityName = "folder.id"

// maxIdentity is the maximum size of an identity in bytes. Identity ignores further bytes.
const maxIdentity = 4096

// Identity returns the identity that [Store.SetIdentity] has stored, or "" if none was stored. The
// database that belongs to the blobs has the same identity, so that no service uses the blobs with
// another database.
func (s *Store) Identity(ctx context.Context) (string, error) {
	r, err := s.open(ctx, identityName)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(r, maxIdentity))
	return strings.TrimSpace(string(b)), errors.Join(err, r.Close())
}

// SetIdentity stores id as the identity of the blobs. The database that belongs to them must have
// the same identity.
func (s *Store) SetIdentity(ctx context.Context, id string) error {
	sink, err := s.create(ctx, identityName)
	if err != nil {
		return err
	}
	_, err = io.WriteString(sink, id+"\n")
	if err == nil {
		err = sink.commit()
	}
	if err != nil {
		_, failed := sink.abort()
		return errors.Join(err, failed)
	}
	return nil
}
