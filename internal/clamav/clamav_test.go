package clamav_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/clamav"
	"foretell/internal/testenv"
)

// TestScan sends files to a clamd. The limits of its configuration are smaller than the last two
// files.
func TestScan(t *testing.T) {
	t.Parallel()
	client := open(t, testenv.ClamAV(t, "StreamMaxLength 1M\nMaxFileSize 500K\nMaxScanSize 500K\nAlertExceedsMax yes"))
	const line = "1,2,no\n"
	for _, test := range []struct {
		name, file, signature, err string
	}{
		{name: "empty"},
		{name: "clean", file: strings.Repeat(line, 50_000)},
		{name: "infected", file: line + testenv.Malware, signature: testenv.MalwareSignature},
		{name: "infected at the end", file: strings.Repeat(line, 50_000) + testenv.Malware, signature: testenv.MalwareSignature},
		{name: "over MaxFileSize", file: strings.Repeat(line, 100_000), err: "clamd did not scan the whole file: Heuristics.Limits.Exceeded.MaxFileSize"},
		{name: "over StreamMaxLength", file: strings.Repeat(line, 1_000_000), err: "clamd did not scan the whole file: it exceeds StreamMaxLength"},
	} {
		signature, err := client.Scan(t.Context(), strings.NewReader(test.file))
		if signature != test.signature || (err == nil) != (test.err == "") || err != nil && (err.Error() != test.err || !errors.Is(err, clamav.ErrLimit)) {
			t.Errorf("%s: %q, %v", test.name, signature, err)
		}
	}
	want := map[string]int64{clamav.ResultClean: 2, clamav.ResultInfected: 2, clamav.ResultLimit: 2, clamav.ResultUnavailable: 0}
	if diff := cmp.Diff(want, client.Counts()); diff != "" {
		t.Errorf("the counts (-want +got):\n%s", diff)
	}
}

// TestNotScanned scans with servers that do not respond as clamd does when it has scanned a file.
// No file may be taken for clean.
func TestNotScanned(t *testing.T) {
	t.Parallel()
	for _, response := range []string{
		"", "stream: OK", "\x00", "OK\x00", "stream: \x00", "stream:  FOUND\x00", "stream: OK and more\x00", "stream: Can't allocate memory ERROR\x00",
		"COMMAND READ TIMED OUT\x00", "UNKNOWN COMMAND\x00", "220 mail.example.com\r\n", strings.Repeat("x", 10_000) + "\x00",
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go respond(listener, response)
		client := open(t, listener.Addr().String())
		if signature, err := client.Scan(t.Context(), strings.NewReader("file")); signature != "" || !errors.Is(err, clamav.ErrUnavailable) {
			t.Errorf("%.40q: %q, %v", response, signature, err)
		}
	}
	missing := open(t, filepath.Join(t.TempDir(), "socket"))
	if _, err := missing.Scan(t.Context(), strings.NewReader("file")); !errors.Is(err, clamav.ErrUnavailable) {
		t.Errorf("a missing socket: %v", err)
	}
}

// respond accepts one connection, reads a command with one chunk, and responds.
func respond(listener net.Listener, response string) {
	conn, err := listener.Accept()
	_ = listener.Close()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.CopyN(io.Discard, conn, int64(len("zINSTREAM\x00....file...."))); err == nil {
		_, _ = io.WriteString(conn, response) // the client reads as much as it wants
	}
}

// TestScanEndsWithContext cancels a scan while clamd does not respond.
func TestScanEndsWithContext(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = bufio.NewReader(conn).ReadString(0) // the command
		cancel()
		_, _ = io.Copy(io.Discard, conn) // until the client closes the connection
	}()
	if _, err := open(t, listener.Addr().String()).Scan(ctx, strings.NewReader("file")); !errors.Is(err, context.Canceled) || errors.Is(err, clamav.ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
}

// TestReadError checks that an error of reading the file is not an error of clamd.
func TestReadError(t *testing.T) {
	t.Parallel()
	client := open(t, testenv.ClamAV(t, ""))
	broken := errors.New("broken")
	if _, err := client.Scan(t.Context(), io.MultiReader(strings.NewReader("file"), errorReader{broken})); !errors.Is(err, broken) || errors.Is(err, clamav.ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:3310", "clamav:3310", "[::1]:3310", filepath.Join(t.TempDir(), "clamd.ctl")} {
		open(t, address)
	}
	for _, address := range []string{"", "clamav", ":3310", "clamav:", "clamav:0", "clamav:65536", "clamav:http", "tcp://clamav:3310", "clamd.ctl"} {
		if _, err := clamav.New(address); err == nil {
			t.Errorf("%q is accepted", address)
		}
	}
}

func open(t *testing.T, address string) *clamav.Client {
	t.Helper()
	client, err := clamav.New(address)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
