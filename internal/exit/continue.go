package exit

import (
	"context"
	"errors"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
)

// WithContinueCommand returns err with a hint that suggests command, which continues the work after
// err, such as the command that resumes a race. The hint replaces advice to run the current command
// again, which would repeat finished work.
//
// WithContinueCommand returns err unchanged if err is nil, or if its hint already has the command. It
// also does so if continuing cannot succeed, because the service refused the request as invalid or
// does not know the object.
func WithContinueCommand(ctx context.Context, err error, command string) error {
	if err == nil {
		return nil
	}
	e := FromError(ctx, err)
	var problem *api.Problem
	final := e.Status == Usage || e.Status == NotFound && errors.As(err, &problem)
	if final || strings.Contains(e.Hint, "`"+command+"`") {
		return err
	}
	var network *client.NetworkError
	again := "continue with `" + command + "`"
	switch {
	case errors.As(err, &network) || client.IsOutage(err):
		return e.WithHint("when the service responds again, continue with `%s`", command)
	case e.Status == StillRunning, e.Status >= Interrupted, e.Hint == "":
		e.Hint = again
		return e
	}
	for _, advice := range []string{"try again", "run the command again"} {
		if before, after, found := strings.Cut(e.Hint, advice); found {
			e.Hint = before + again + after
			return e
		}
	}
	return e.WithHint("%s; then continue with `%s`", e.Hint, command)
}
