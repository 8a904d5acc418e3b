package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strconv"
	"strings"

	"foretell/internal/api"
)

// Download writes the file at resultURL to w and returns n, the number of bytes written. If the
// connection breaks, it resumes the download. If n is not the size that the service announced, it
// returns an error. After any error, w has exactly the first n bytes of the file.
//
// The token is sent only to the host of the service.
func (c *Client) Download(ctx context.Context, resultURL string, w io.Writer) (n int64, err error) {
	address, err := c.resolveURL(resultURL)
	if err != nil {
		return 0, err
	}
	return c.download(ctx, w, &request{
		op: api.DownloadResult.ID, method: http.MethodGet, url: address, header: http.Header{},
		sendToken: isSameServiceOrHTTPS(c.base, address), idempotent: true, waitOn429: true,
	})
}

// DownloadModel is like [Client.Download] for the file of a model.
func (c *Client) DownloadModel(ctx context.Context, key string, w io.Writer) (n int64, err error) {
	req, err := c.newRequest(api.DownloadModel.Operation, &api.ModelInput{ModelKey: key})
	if err != nil {
		return 0, err
	}
	req.header.Set("Accept", "application/octet-stream, application/problem+json")
	return c.download(ctx, w, req)
}

// download writes the file that req requests to w.
func (c *Client) download(ctx context.Context, w io.Writer, req *request) (n int64, err error) {
	d := &downloadState{c: c, w: w, total: -1, req: req, hash: sha256.New()}
	d.req.accepts = d.isComplete
	// A compressed response would have other byte offsets than the file.
	d.req.header.Set("Accept-Encoding", "identity")
	for attempt := 1; ; attempt++ {
		before := d.written
		err := d.fetchRest(ctx)
		if err == nil || !d.interrupted || ctx.Err() != nil {
			return d.written, err
		}
		if d.written > before {
			attempt = 1 // count the attempts anew, because bytes have arrived
		}
		if attempt >= c.opts.Attempts {
			return d.written, err
		}
		pause, _ := retryDelay(d.req, err, attempt)
		if err := c.opts.Wait(ctx, pause); err != nil {
			return d.written, err
		}
	}
}

// downloadState is the state of a download.
type downloadState struct {
	c           *Client
	req         *request
	w           io.Writer
	written     int64
	total       int64     // size of the file; -1 if unknown
	version     string    // ETag or Last-Modified of the file; "" if it has neither
	hash        hash.Hash // hash of the written bytes
	interrupted bool      // whether the last attempt ended before the end of the file
}

// fetchRest downloads the bytes of the file that are not written yet. If the file has a version, it
// requests only these bytes. Otherwise it requests the whole file, and compares the beginning of
// the file with the written bytes, because the file may have changed since.
func (d *downloadState) fetchRest(ctx context.Context) error {
	d.interrupted = false
	if d.written > 0 && d.version != "" {
		d.req.header.Set("Range", "bytes="+strconv.FormatInt(d.written, 10)+"-")
		d.req.header.Set("If-Range", d.version)
	}
	resp, err := d.c.send(ctx, d.req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return nil // isComplete has accepted the response, so nothing is left to download
	}
	if d.written == 0 && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		return notServiceError(d.req, resp, "a web page")
	}
	skip, err := d.findOffset(resp)
	if err != nil {
		return err
	}
	seen := sha256.New()
	if _, err := io.CopyN(seen, resp.Body, skip); err != nil {
		return d.interruptedError(ctx, err)
	}
	if skip == d.written && !bytes.Equal(seen.Sum(nil), d.hash.Sum(nil)) {
		return errFileChanged
	}
	return d.copyBody(ctx, resp.Body)
}

// isComplete reports whether resp says that the file has no more bytes. The service sends such a
// response if the connection broke after the last byte of a file of unknown size.
func (d *downloadState) isComplete(resp *http.Response) bool {
	return resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && d.written > 0 && d.total < 0 &&
		resp.Header.Get("Content-Range") == "bytes */"+strconv.FormatInt(d.written, 10)
}

// errFileChanged is returned if a file has changed since its beginning was downloaded.
var errFileChanged = errors.New("the service changed the file during the download; download the file again")

// findOffset determines which part of the file the response has. It returns how many bytes to skip
// at the start of the response, because they were already written.
func (d *downloadState) findOffset(resp *http.Response) (skip int64, err error) {
	start, total := int64(0), resp.ContentLength
	if resp.StatusCode == http.StatusPartialContent {
		if start, total, err = parseContentRange(resp.Header.Get("Content-Range")); err != nil || start > d.written || start > 0 && d.version == "" {
			return 0, notServiceError(d.req, resp, "another part of the file than requested")
		}
	}
	version := resp.Header.Get("ETag")
	if version == "" {
		version = resp.Header.Get("Last-Modified")
	}
	changed := version != d.version || total >= 0 && d.total >= 0 && total != d.total
	if d.written > 0 && changed {
		return 0, errFileChanged
	}
	d.version = version
	if total >= 0 {
		d.total = total
	}
	return d.written - start, nil
}

// copyBody writes body to the writer of the download. It returns an error of the writer unchanged,
// and an error of body as a network error.
func (d *downloadState) copyBody(ctx context.Context, body io.Reader) error {
	buf := make([]byte, 64<<10)
	for {
		n, readErr := body.Read(buf)
		if n > 0 {
			m, err := d.w.Write(buf[:n])
			d.written += int64(m)
			d.hash.Write(buf[:m])
			if err != nil {
				return err
			}
		}
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			return d.interruptedError(ctx, readErr)
		}
	}
	if d.total >= 0 && d.written != d.total {
		return d.interruptedError(ctx, fmt.Errorf("%d of %d bytes: %w", d.written, d.total, io.ErrUnexpectedEOF))
	}
	return nil
}

func (d *downloadState) interruptedError(ctx context.Context, err error) error {
	d.interrupted = true
	return d.c.networkError(ctx, d.req, err)
}

// parseContentRange returns the first offset and the size of the file in a header such as
// "bytes 5-9/10". total is -1 if the header has * instead of the size.
func parseContentRange(text string) (start, total int64, err error) {
	span, size, ok := strings.Cut(strings.TrimPrefix(text, "bytes "), "/")
	first, _, ok2 := strings.Cut(span, "-")
	if !ok || !ok2 {
		return 0, 0, fmt.Errorf("invalid Content-Range %q", text)
	}
	if start, err = strconv.ParseInt(first, 10, 64); err != nil || start < 0 {
		return 0, 0, fmt.Errorf("invalid Content-Range %q", text)
	}
	if size == "*" {
		return start, -1, nil
	}
	total, err = strconv.ParseInt(size, 10, 64)
	return start, total, err
}
