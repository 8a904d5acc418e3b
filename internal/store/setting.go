package store

import (
	"context"
	"errors"
	"time"

	"foretell/internal/store/database"
)

// SetSetting stores a named value that all processes on the database share.
func (t *Tx) SetSetting(ctx context.Context, name, value string) error {
	return t.exec(ctx, "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
}

// GetSetting returns the value that SetSetting has stored under name, or "" if nothing is stored.
func (t *Tx) GetSetting(ctx context.Context, name string) (value string, err error) {
	err = database.TranslateError(t.tx.QueryRowContext(ctx, "SELECT value FROM setting WHERE name = ?", name).Scan(&value))
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return value, err
}

// Secret is a named key that all processes on the database share.
type Secret struct {
	Name string
	// Value is the key in hex. Algorithm is the name of the algorithm that the key is used with.
	Value     string `json:"-"`
	Algorithm string
	// Created is zero for a key of an earlier version.
	Created time.Time
}

// GetSecret returns the secret with this name, or ErrNotFound if none exists.
func (t *Tx) GetSecret(ctx context.Context, name string) (*Secret, error) {
	s := Secret{Name: name}
	var created int64
	err := t.tx.QueryRowContext(ctx, "SELECT value, algorithm, created FROM secret WHERE name = ?", name).Scan(&s.Value, &s.Algorithm, &created)
	s.Created = t.fromSharedMicros(created)
	return &s, database.TranslateError(err)
}

// GetOrInsertSecret returns the stored secret that has the same name as the argument fresh. If no
// such secret is stored, it stores fresh and returns it. Concurrent calls, also of several
// processes, return the same secret.
func (s *Store) GetOrInsertSecret(ctx context.Context, fresh *Secret) (stored *Secret, err error) {
	read := func(t *Tx) (err error) {
		stored, err = t.GetSecret(ctx, fresh.Name)
		return err
	}
	if err = s.Read(ctx, read); !errors.Is(err, ErrNotFound) {
		return stored, err
	}
	err = s.Write(ctx, func(t *Tx) error {
		if err := t.exec(ctx, "INSERT INTO secret (name, value, algorithm, created) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
			fresh.Name, fresh.Value, fresh.Algorithm, t.toSharedMicros(fresh.Created)); err != nil {
			return err
		}
		return read(t)
	})
	return stored, err
}

// ReplaceSecret stores the argument fresh in place of the stored secret with the same name. It
// returns ErrNotFound if no such secret is stored.
func (t *Tx) ReplaceSecret(ctx context.Context, fresh *Secret) error {
	return t.execRequired(ctx, ErrNotFound, "UPDATE secret SET value = ?, algorithm = ?, created = ? WHERE name = ?",
		fresh.Value, fresh.Algorithm, t.toSharedMicros(fresh.Created), fresh.Name)
}

// CompareAndSwapFolderID stores id as the identity of the data folder, but only if the stored
// identity is equal to the argument old. "" means that none is stored. CompareAndSwapFolderID
// returns the identity that is stored afterwards, so that concurrent processes agree on one.
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
	err = database.TranslateError(t.tx.QueryRowContext(ctx, "SELECT id FROM folder").Scan(&id))
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return id, err
}
