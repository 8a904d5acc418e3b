package store

import (
	"context"
	"errors"
)

// GetOrInsertFolderID returns the identity of the data folder. If it has none,
// it first stores id as the identity. All processes get the same one.
func (s *Store) GetOrInsertFolderID(ctx context.Context, id string) (stored string, err error) {
	err = s.Write(ctx, func(t *Tx) error {
		stored, err = t.GetFolderID(ctx)
		if err != nil || stored != "" {
			return err
		}
		stored = id
		return t.exec(ctx, "INSERT INTO folder (id) VALUES (?)", id)
	})
	return stored, err
}

// GetFolderID returns the identity of the data folder. It is empty if the
// database has none yet.
func (t *Tx) GetFolderID(ctx context.Context) (id string, err error) {
	err = translateError(t.tx.QueryRowContext(ctx, "SELECT id FROM folder").Scan(&id))
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return id, err
}
