// Package clamav scans files for malware with clamd, the daemon of ClamAV.
package clamav

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The errors that [Client.Scan] wraps. Test for them with errors.Is.
var (
	// ErrUnavailable means that clamd could not be reached, or did not scan the file. The same
	// scan may succeed later.
	ErrUnavailable = errors.New("clamd is unavailable")
	// ErrLimit means that the file exceeds a limit of clamd's configuration, so that clamd did
	// not scan the whole file. The message of the error names the limit.
	ErrLimit = errors.New("clamd did not scan the whole file")
)

const (
	// chunkSize is the maximum number of bytes of a chunk of the file, and lengthSize the number of
	// bytes of its length, which precedes the chunk.
	chunkSize  = 64 << 10
	lengthSize = 4
	// dialTimeout limits the time for a connection, and sendTimeout the time that clamd takes to
	// accept a chunk.
	dialTimeout = 10 * time.Second
	sendTimeout = time.Minute
	// scanTimeout limits the time from the end of the file to the response. It is more than
	// MaxScanTime in the configuration of clamd, which is 2 minutes by default.
	scanTimeout = 10 * time.Minute
	// maxResponse is the maximum length of a response in bytes.
	maxResponse = 4 << 10
	// limitSignaturePrefix is the beginning of the signature that clamd reports for a file that
	// exceeds MaxFileSize or another limit, if AlertExceedsMax is set.
	limitSignaturePrefix = "Heuristics.Limits.Exceeded"
)

// The results of scans; see [Client.Counts].
const (
	ResultClean       = "clean"
	ResultInfected    = "infected"
	ResultLimit       = "limit"
	ResultUnavailable = "unavailable"
)

// Client sends files to clamd. It is safe for concurrent use.
type Client struct {
	network, address string

	mu     sync.Mutex
	counts map[string]int64 // by result
}

// New returns a client of the clamd at address, which is HOST:PORT or the absolute path of a Unix
// socket. It does not connect.
func New(address string) (*Client, error) {
	c := &Client{network: "unix", address: address, counts: map[string]int64{ResultClean: 0, ResultInfected: 0, ResultLimit: 0, ResultUnavailable: 0}}
	if filepath.IsAbs(address) {
		return c, nil
	}
	c.network = "tcp"
	host, port, err := net.SplitHostPort(address)
	if number, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil || host == "" || number == 0 {
		return nil, errors.New("must be HOST:PORT, such as 127.0.0.1:3310, or the absolute path of a Unix socket")
	}
	return c, nil
}

// Counts returns the numbers of scans so far, by result.
func (c *Client) Counts() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts)
}

// Scan sends a file to clamd. It returns the name of the signature that the file matches, or "" if
// clamd found nothing. If clamd did not scan the whole file, the error wraps ErrUnavailable or
// ErrLimit. Errors of reading the file, and the error of ctx once ctx is done, are returned
// unchanged.
func (c *Client) Scan(ctx context.Context, file io.Reader) (signature string, err error) {
	response, err := c.send(ctx, file)
	result := ResultClean
	if err == nil {
		signature, err = parseResponse(response)
	}
	switch {
	case errors.Is(err, ErrUnavailable):
		result = ResultUnavailable
	case errors.Is(err, ErrLimit):
		result = ResultLimit
	case err != nil:
		return "", err
	case signature != "":
		result = ResultInfected
	}
	c.mu.Lock()
	c.counts[result]++
	c.mu.Unlock()
	return signature, err
}

// send sends the command INSTREAM (clamd(8)) with a file, and returns the response.
func (c *Client) send(ctx context.Context, file io.Reader) (response string, err error) {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, c.network, c.address)
	if err != nil {
		return "", unavailableError(ctx, err)
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // ends a read or write
	readErr, sendErr := sendFile(conn, file)
	if readErr != nil {
		return "", readErr
	}
	// If the file exceeds StreamMaxLength, clamd responds and closes the connection before it has
	// received the whole file. Then sendErr is not nil, but the response can be read.
	wait := scanTimeout
	if sendErr != nil {
		wait = dialTimeout
	}
	setDeadline(conn.SetReadDeadline, wait)
	response, err = bufio.NewReader(io.LimitReader(conn, maxResponse)).ReadString(0)
	if err != nil {
		return "", unavailableError(ctx, errors.Join(sendErr, err))
	}
	return strings.TrimSuffix(response, "\x00"), nil
}

// sendFile sends the command and the file in chunks. Each chunk begins with its length in 4 bytes,
// and a chunk of length 0 is the end of the file. readErr is an error of reading the file.
func sendFile(conn net.Conn, file io.Reader) (readErr, sendErr error) {
	write := func(message []byte) error {
		setDeadline(conn.SetWriteDeadline, sendTimeout)
		_, err := conn.Write(message)
		return err
	}
	if err := write([]byte("zINSTREAM\x00")); err != nil {
		return nil, err
	}
	chunk := make([]byte, lengthSize+chunkSize)
	for {
		n, err := io.ReadFull(file, chunk[lengthSize:])
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err, nil
		}
		binary.BigEndian.PutUint32(chunk, uint32(n))
		if sendErr = write(chunk[:lengthSize+n]); sendErr != nil || n == 0 {
			return nil, sendErr
		}
	}
}

// setDeadline calls the function set with the current time plus d. It ignores the error of this
// call, because the next read or write then fails, too.
func setDeadline(set func(time.Time) error, d time.Duration) {
	_ = set(time.Now().Add(d)) //nolint:forbidigo // compared by the system
}

// unavailableError returns an error that wraps ErrUnavailable and err. If ctx is done, it returns
// the error of ctx instead.
func unavailableError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// parseResponse returns the name of the signature in a response of clamd, such as
// "Win.Test.EICAR_HDB-1" for "stream: Win.Test.EICAR_HDB-1 FOUND". It returns "" if clamd found
// nothing. The error wraps ErrLimit or ErrUnavailable if clamd did not scan the whole file.
func parseResponse(response string) (signature string, err error) {
	status, isScan := strings.CutPrefix(response, "stream: ")
	switch name, found := strings.CutSuffix(status, " FOUND"); {
	case isScan && status == "OK":
		return "", nil
	case isScan && found && strings.HasPrefix(name, limitSignaturePrefix):
		return "", fmt.Errorf("%w: %s", ErrLimit, name)
	case isScan && found && name != "":
		return name, nil
	case strings.HasPrefix(response, "INSTREAM size limit exceeded"):
		return "", fmt.Errorf("%w: it exceeds StreamMaxLength", ErrLimit)
	}
	return "", fmt.Errorf("%w: it responded %q", ErrUnavailable, response)
}
