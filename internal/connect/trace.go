package connect

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/term"
)

// formatRoundTrip formats a request and its response for --verbose, such as "GET /api/v1/datasets:
// 200 in 3 ms, 0 B sent, 1.2 kB received".
func formatRoundTrip(e client.RoundTrip) string {
	address := e.URL
	if u, err := url.Parse(e.URL); err == nil {
		address = u.RequestURI()
	}
	answer := "no response"
	if e.Status != 0 {
		answer = strconv.Itoa(e.Status)
	}
	return fmt.Sprintf("%s %s: %s in %d ms, %s sent, %s received", e.Method, term.Escape(address), answer,
		e.Elapsed.Milliseconds(), term.FormatBytes(e.Sent), term.FormatBytes(e.Received))
}

// TraceFlag is the value of a flag whose argument is optional, such as --debug.
type TraceFlag string

func (f *TraceFlag) String() string { return string(*f) }

// Set sets the destination: the path of a file, or "true" for standard error.
func (f *TraceFlag) Set(text string) error {
	*f = TraceFlag(text)
	return nil
}

// Type returns "bool", so that help pages show no value.
func (f *TraceFlag) Type() string { return "bool" }

// NewTracer returns a function that traces requests, and one that closes the trace. debug
// is the value of --debug. The first function is nil if debug disables tracing.
func NewTracer(f *cli.Factory, debug string) (trace func(client.TraceEvent), closeTrace func() error, err error) {
	nothing := func() error { return nil }
	switch enabled, path := config.ParseDebug(debug); {
	case !enabled:
		return nil, nothing, nil
	case path == "":
		return newTraceWriter(f.Console.Err), nothing, nil
	}
	if err := checkTraceFile(f, debug); err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(debug, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, exit.Usagef("--debug: %w", err).WithHint("use a writable file, as in --debug=trace.log")
	}
	return newTraceWriter(file), file.Close, nil
}

// checkTraceFile returns an error if a trace must not be appended to the file at path. Either the
// command uses the file for another purpose, or the file contains something other than a trace.
func checkTraceFile(f *cli.Factory, path string) error {
	const hint = "choose another file, as in --debug=trace.log"
	for _, file := range namedFiles(f.Running) {
		if cli.SamePath(file.path, path) {
			return exit.Usagef("--debug and %s name the same file, %q", file.namedBy, path).WithHint(hint)
		}
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil // opening the file for writing may succeed
	}
	defer file.Close()
	start := make([]byte, 64)
	n, _ := io.ReadFull(file, start) // the file may be shorter
	if !traceStartPattern.Match(start[:n]) {
		return exit.Errorf(exit.Conflict, "the file %s of --debug already exists and is not a trace", path).WithHint(hint)
	}
	return nil
}

// traceStartPattern matches the start of a trace that newTraceWriter has written.
var traceStartPattern = regexp.MustCompile(`^> [A-Z]+ https?://`)

// outputFlags are the flags that name a file that the command writes. Unlike the other files of a
// command, it need not exist yet.
var outputFlags = []string{"output", "junit", "html"}

// namedFile is a file that the command line names. namedBy is the flag, such as -o, or "an argument".
type namedFile struct{ path, namedBy string }

// namedFiles returns the files that the command line of cmd names. These are the arguments and flag
// values that are paths of existing files, and the values of outputFlags. The value of --debug is
// omitted.
func namedFiles(cmd *cobra.Command) []namedFile {
	exists := func(value string) bool {
		_, err := os.Stat(value)
		return err == nil
	}
	var files []namedFile
	for _, argument := range cmd.Flags().Args() {
		if exists(argument) {
			files = append(files, namedFile{argument, "an argument"})
		}
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Name == config.KeyDebug {
			return
		}
		name := "--" + flag.Name
		if flag.Shorthand != "" {
			name = "-" + flag.Shorthand
		}
		values := []string{flag.Value.String()}
		if list, several := flag.Value.(pflag.SliceValue); several {
			values = list.GetSlice()
		}
		for _, value := range values {
			if exists(value) || slices.Contains(outputFlags, flag.Name) {
				files = append(files, namedFile{value, name})
			}
		}
	})
	return files
}

func newTraceWriter(w io.Writer) func(client.TraceEvent) {
	return func(e client.TraceEvent) {
		var b strings.Builder
		switch {
		case e.ResponseBody != "":
			fmt.Fprintf(&b, "< %s\n", e.ResponseBody)
		case e.Err != nil:
			fmt.Fprintf(&b, "> %s %s\n! %v\n", e.Method, e.URL, e.Err)
		default:
			fmt.Fprintf(&b, "> %s %s\n", e.Method, e.URL)
			writeHeader(&b, "> ", e.Sent)
			if e.Body != "" {
				fmt.Fprintf(&b, "> %s\n", e.Body)
			}
			fmt.Fprintf(&b, "< %d %s in %s\n", e.Status, http.StatusText(e.Status), e.Elapsed.Round(time.Microsecond))
			writeHeader(&b, "< ", e.Received)
		}
		_, _ = io.WriteString(w, b.String())
	}
}

func writeHeader(b *strings.Builder, prefix string, header http.Header) {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		fmt.Fprintf(b, "%s%s: %s\n", prefix, name, term.Escape(strings.Join(header[name], ", ")))
	}
}
