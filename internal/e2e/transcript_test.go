package e2e_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// pattern returns a function that returns a regular expression. It is compiled at the first call,
// because the commands of the tests run in thousands of processes of this binary.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// keysSeen is the key under which the context of a script has the map from keys of objects to
// names.
type keysSeen struct{}

var volatile = []struct {
	what func() *regexp.Regexp
	name string
}{
	{pattern(`http://(127\.0\.0\.1:\d+|foretell\.invalid)`), "SERVICE"},
	{pattern(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{pattern(`expires=\d+&signature=[0-9A-Za-z_-]+`), "SIGNED"},
	{pattern(`\d+(\.\d)? (s|min)\b( \d+ s)?`), "DURATION"},
	{pattern(`[▁-█]  +[▁-█]+\n`), "CURVE\n"}, // the curve of scores over time
	{pattern(`(training create) [0-9a-f]{8}\b`), "$1 SHORTKEY"},
}

// key matches the key of an object.
var key = pattern(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// normalize replaces what differs between runs. For example, it replaces keys by names, in the
// order in which the keys occur.
func normalize(ts *testscript.TestScript, text string) string {
	names := ts.Value(keysSeen{}).(map[string]string)
	text = key().ReplaceAllStringFunc(text, func(key string) string {
		if names[key] == "" {
			names[key] = "KEY" + strconv.Itoa(len(names)+1)
		}
		return names[key]
	})
	for _, v := range volatile {
		text = v.what().ReplaceAllString(text, v.name)
	}
	return strings.ReplaceAll(text, ts.Getenv("WORK"), "WORK")
}

// normal is the script command `normal stdout FILE`. It writes the normalized stream or file
// to FILE.
func normal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: normal stdout|stderr|FILE FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(normalize(ts, ts.ReadFile(args[0]))), 0o644))
}

// transcripts are the outputs that alike has recorded with one service, by script.
type transcripts struct {
	mu    sync.Mutex
	texts map[string][]string
}

// alike is a script command. It records a stream or a file that must be the same with the
// embedded and the served service.
func (r *transcripts) alike(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: alike stdout|stderr|FILE")
	}
	text := normalize(ts, ts.ReadFile(args[0]))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.texts == nil {
		r.texts = map[string][]string{}
	}
	r.texts[ts.Name()] = append(r.texts[ts.Name()], text)
}
