package outage

import (
	"context"
	"log/slog"
)

// handler is the handler that NewHandler returns.
type handler struct {
	slog.Handler
	monitors []*Monitor
	keep     func(error) bool
}

// NewHandler returns a handler that passes log records on to the handler next. It lowers the level
// of a record to debug if the record has an error as an attribute, and an outage that the monitors
// have already reported may have caused the error. It does not lower the level if the function keep
// returns true for the error, or if next is not enabled for warnings: next then also omits the
// lines of the monitors.
func NewHandler(next slog.Handler, keep func(error) bool, monitors ...*Monitor) slog.Handler {
	return handler{next, monitors, keep}
}

// Handle passes the record on. It first lowers the level of the record as NewHandler describes.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if h.isCovered(r) && h.Enabled(ctx, slog.LevelWarn) {
		r = r.Clone()
		r.Level = slog.LevelDebug
		if !h.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return h.Handler.Handle(ctx, r)
}

// isCovered reports whether a monitor has already reported an outage that may have caused the error
// of the record. It returns false if h.keep returns true for the error.
func (h handler) isCovered(r slog.Record) (covered bool) {
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		if !ok {
			return true
		}
		for _, m := range h.monitors {
			covered = m.HasReportedCause(err) || covered
		}
		covered = covered && !h.keep(err)
		return false
	})
	return covered
}

// WithAttrs returns a handler whose records also have the attributes.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs), h.monitors, h.keep}
}

// WithGroup returns a handler that groups the attributes that follow.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.monitors, h.keep}
}
