package store

import (
	"context"
	"errors"
)

// ReplaceFolderID stores id as the identity of the data folder if the stored identity equals old.
// If old is empty, it stores id only if there is no identity. ReplaceFolderID returns the identity
// that is stored afterwards. If several processes replace the same identity, all of them get the
// same result.
func (s *Store) ReplaceFolderID(ctx context.Context, old, id string) (stored string, err error) {
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
