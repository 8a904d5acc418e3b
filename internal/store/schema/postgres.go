package schema

import (
	"errors"
	"io/fs"
	"sort"
)

// lastSQLiteOnlyMigration is the number of the last migration that is only for SQLite. The first
// migration for PostgreSQL creates the schema that SQLite has after that migration.
const lastSQLiteOnlyMigration = "00004"

// postgresFiles is a file system with the migrations for PostgreSQL. These are all files of the
// field own, and the files of the field shared that are newer than lastSQLiteOnlyMigration. If both
// fields have a file of the same name, the file of own is used.
type postgresFiles struct{ own, shared fs.FS }

// Open opens a migration file.
func (m postgresFiles) Open(name string) (fs.File, error) {
	f, err := m.own.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return m.shared.Open(name)
	}
	return f, err
}

// ReadDir returns the migration files, sorted by name.
func (m postgresFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	files, err := fs.ReadDir(m.own, name)
	if err != nil {
		return nil, err
	}
	shared, err := fs.ReadDir(m.shared, name)
	for _, f := range shared {
		_, missing := fs.Stat(m.own, f.Name())
		if !f.IsDir() && f.Name()[:len(lastSQLiteOnlyMigration)] > lastSQLiteOnlyMigration && missing != nil {
			files = append(files, f)
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].Name() < files[j].Name() })
	return files, err
}
