// Package build describes the running binary: its version, commit, date and platform. The
// version command and doctor print them, and the User-Agent of requests has the version.
package build

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// Info describes the binary.
type Info struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Current returns the description of this binary. If the release build has not set a value, Current
// returns the value that the Go toolchain recorded. An unknown version is "(devel)".
func Current() Info {
	b := Info{Version: version, Commit: commit, Date: date, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				b.Commit = cmp.Or(b.Commit, setting.Value)
			case "vcs.time":
				b.Date = cmp.Or(b.Date, setting.Value)
			}
		}
	}
	b.Version = cmp.Or(b.Version, "(devel)")
	return b
}

// version, commit and date are set by the release build.
var version, commit, date string

// UserAgent returns the User-Agent of requests, such as foretell/v1.2.0.
func UserAgent() string { return "foretell/" + strings.Trim(Current().Version, "()") }
