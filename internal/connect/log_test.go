package connect

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"foretell/internal/cli"
	"foretell/internal/term"
)

// TestJSONLogOnTerminal checks that a line of the log has the text of an attribute, but no character that
// a terminal interprets.
func TestJSONLogOnTerminal(t *testing.T) {
	const text = "a\n\x1b[31m\x7f\u009b\u202eé😀"
	var out strings.Builder
	flags := DaemonFlags{logFormat: formatJSON, logLevel: "info"}
	log, err := flags.newLogger(&cli.Factory{Console: &term.Console{Err: &out}})
	if err != nil {
		t.Fatal(err)
	}
	log.Info("audit", slog.String("object", text))
	var line struct{ Object string }
	if err := json.Unmarshal([]byte(out.String()), &line); err != nil || line.Object != text {
		t.Errorf("%v: the object is %q", err, line.Object)
	}
	if strings.ContainsAny(out.String(), "\x1b\x7f\u009b\u202e") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("the line is %q", out.String())
	}
}
