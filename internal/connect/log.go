package connect

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode"

	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
)

// newCommandLogger returns the log of a service in the process of a command. The log goes to
// standard error if FORETELL_DEBUG enables it. Otherwise it is discarded.
func newCommandLogger(f *cli.Factory) *slog.Logger {
	if enabled, _ := config.ParseDebug(f.Env(config.EnvDebug)); !enabled {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(f.Console.Err, nil))
}

// newLogger returns the log that the flags select.
func (f *DaemonFlags) newLogger(factory *cli.Factory) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.logLevel)); err != nil || strings.ContainsAny(f.logLevel, "+-") {
		return nil, exit.Usagef("invalid --log-level %q: must be debug, info, warn or error", f.logLevel)
	}
	opts := &slog.HandlerOptions{Level: level}
	switch {
	case f.logFormat != "text" && f.logFormat != formatJSON:
		return nil, exit.Usagef("invalid --log-format %q: must be text or json", f.logFormat)
	case f.quiet:
		return slog.New(slog.DiscardHandler), nil
	case f.logFormat == formatJSON:
		return slog.New(slog.NewJSONHandler(jsonLog{factory.Console.Err}, opts)), nil
	}
	return slog.New(slog.NewTextHandler(factory.Console.Err, opts)), nil
}

// jsonLog writes lines of JSON. It escapes the characters that a terminal may interpret, such as
// U+009B. The JSON handler escapes only control characters of ASCII.
type jsonLog struct{ io.Writer }

func (w jsonLog) Write(line []byte) (int, error) {
	var b strings.Builder
	for _, r := range string(line) {
		if r == '\n' || r > 0xFFFF || unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	_, err := io.WriteString(w.Writer, b.String())
	return len(line), err
}
