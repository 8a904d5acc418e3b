package download

import (
	"testing"

	"foretell/internal/preflight"
)

func TestResultCanBeFetchedLater(t *testing.T) {
	to := &OutputFile{Path: "my out.csv"}
	got := to.ResumeCommand("KEY", preflight.NormalizedInput("blind.csv", "blind.csv", true)) + "\n" + to.ResumeCommand("KEY", &preflight.Input{Temps: []string{"/tmp/x"}})
	want := "foretell predictions download KEY --blind blind.csv -o 'my out.csv'\nforetell predictions download KEY -o 'my out.csv'"
	if got != want {
		t.Errorf("%s", got)
	}
}
