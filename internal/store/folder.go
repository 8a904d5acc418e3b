package store

import (
	"context"
	"errors"
)

// CompareAndSwapFolderID changes the stored identity of the data folder from old to id. An empty
// old means that none is stored. If the stored identity is not old, it is not changed.
// CompareAndSwapFolderID returns the identity that is stored afterwards, so that concurrent
// processes agree on one.
func (s *Store) CompareAndSwapFolderID(ctx context.Context, old, id string) (stored string, err error) {
	err = s.Write(ctx, func(t *Tx) error {
		stored, err = t.GetFolderID(ctx)
		if err != nil || stored != old || old == id {
			return err
		}
		stored = id
		if old != "" {
			return t.exec(ctx, "UPDATE folder SET id = ?", id)
		}
		return t.exec(ctx, "INSERT INTO folder (id) VALUES (?)", id)
	})
	return stored, err
}

// GetFolderID returns the identity of the data folder. It is empty if none is stored.
func (t *Tx) GetFolderID(ctx context.Context) (id string, err error) {
	err = translateError(t.tx.QueryRowContext(ctx, "SELECT id FROM folder").Scan(&id))
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return id, err
}
