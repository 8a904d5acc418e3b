package doctor

import (
	"context"
	"errors"

	"foretell/internal/config"
	"foretell/internal/connect"
)

// checkStorage checks the PostgreSQL database and the storage of files, each only if a flag or
// variable selects it. usable reports whether no check has failed.
func (o *Checker) checkStorage(ctx context.Context, s *config.Settings) (results []Result, usable bool) {
	f, cmd := o.Factory, o.Service.Cmd
	usable = true
	if connect.SelectsDatabase(f, cmd) {
		c := o.checkDatabase(ctx, s)
		results, usable = append(results, c), c.Verdict != verdictFail
	}
	if connect.SelectsStorage(f, cmd) {
		const name = "storage"
		if err := connect.CheckStorage(ctx, f, cmd); err != nil {
			return append(results, failResult(ctx, name, err)), false
		}
		results = append(results, okResult(name, "%s", connect.StorageName(f, cmd)))
	}
	return results, usable
}

// checkDatabase checks that the selected PostgreSQL database accepts connections.
func (o *Checker) checkDatabase(ctx context.Context, s *config.Settings) Result {
	const name = "database"
	dir, err := config.DataDir(o.Factory.Env, s)
	if err != nil {
		return failResult(ctx, name, err)
	}
	location, err := connect.CheckDatabase(ctx, o.Factory, o.Service.Cmd, dir)
	switch {
	case errors.Is(err, connect.ErrOldSchema):
		return warnResult(name, "`foretell migrate` upgrades it", "the database has the schema of an earlier version")
	case err != nil:
		return failResult(ctx, name, err)
	}
	return okResult(name, "%s", location)
}
