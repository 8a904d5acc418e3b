package connect

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/exit"
	"foretell/internal/term"
)

// formatRoundTrip formats a request and its response for --verbose.
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
	switch debug {
	case "", "0", "false":
		return nil, nothing, nil
	case "1", "true":
		return newTraceWriter(f.Console.Err), nothing, nil
	}
	file, err := os.OpenFile(debug, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, exit.Usagef("--debug: %w", err).WithHint("use a writable file, as in --debug=trace.log")
	}
	return newTraceWriter(file), file.Close, nil
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
