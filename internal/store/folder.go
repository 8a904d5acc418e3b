package store

import (
	"context"
	"errors"
)

// GetOrInsertFolderID stores id as the identity of the data folder unless it has one,
// and returns the stored one: every process gets the same.
func (s *Store) GetOrInsertFolderID(ctx context.Context, id string) (kept string, err error) {
	err = s.Write(ctx, func(t *Tx) error {
		kept, err = t.GetFolderID(ctx)
		if err != nil || kept != "" {
			return err
		}
		kept = id
		return t.exec(ctx, "INSERT INTO folder (id) VALUES (?)", id)
	})
	return kept, err
}

// GetFolderID returns the identity of the data folder; empty if the database has
// none yet.
func (t *Tx) GetFolderID(ctx context.Context) (id string, err error) {
	err = translateError(t.tx.QueryRowContext(ctx, "SELECT id FROM folder").Scan(&id))
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return id, err
}
