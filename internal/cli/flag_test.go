package cli

import (
	"testing"

	"github.com/spf13/pflag"
)

func TestNearestFlag(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Bool("json", false, "")
	flags.Bool("threshold", false, "")
	for typed, want := range map[string]string{"jsno": "json", "jsons": "json", "thresh": "threshold", "label": ""} {
		if got := nearestFlag(typed, flags); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}
