package store

import (
	"context"
	"errors"
)

// SetSetting stores a named value that all processes on the database share.
func (t *Tx) SetSetting(ctx context.Context, name, value string) error {
	return t.exec(ctx, "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
}

// GetSetting returns the value that SetSetting has stored under name, or "" if there is none.
func (t *Tx) GetSetting(ctx context.Context, name string) (value string, err error) {
	err = translateError(t.tx.QueryRowContext(ctx, "SELECT value FROM setting WHERE name = ?", name).Scan(&value))
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return value, err
}
