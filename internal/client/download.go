package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"foretell/internal/api"
)

// Download writes the file behind a result address to w and gives its size.
// The number of bytes is checked against what the service announced; a broken
// download goes on where it stopped. On an error w holds the first n bytes of
// the file and nothing else.
//
// The token is sent only to the service's own host.
func (c *Client) Download(ctx context.Context, resultURL string, w io.Writer) (n int64, err error) {
	address, err := c.resolve(resultURL)
	if err != nil {
		return 0, err
	}
	return c.download(ctx, w, &request{
		op: api.DownloadResult.ID, method: http.MethodGet, url: address, header: http.Header{},
		bearer: sameService(c.base, address), repeatable: true, patient: true,
	})
}

// DownloadModel writes the file of a model to w and gives its size, as
// [Client.Download] does.
func (c *Client) DownloadModel(ctx context.Context, key string, w io.Writer) (n int64, err error) {
	req, err := c.newRequest(api.DownloadModel.Operation, &api.ModelInput{ModelKey: key})
	if err != nil {
		return 0, err
	}
	req.header.Set("Accept", "application/octet-stream, application/problem+json")
	return c.download(ctx, w, req)
}

// download writes the file that req asks for to w.
func (c *Client) download(ctx context.Context, w io.Writer, req *request) (n int64, err error) {
	d := &download{c: c, w: w, total: -1, req: req}
	// Bytes are counted as the service counts them only if they are not packed.
	d.req.header.Set("Accept-Encoding", "identity")
	for attempt := 1; ; attempt++ {
		before := d.written
		err := d.fetch(ctx)
		if err == nil || !d.cut || ctx.Err() != nil {
			return d.written, err
		}
		if d.written > before {
			attempt = 1 // it makes headway
		}
		if attempt >= c.opts.Attempts {
			return d.written, err
		}
		pause, _ := retryPause(d.req, err, attempt)
		if err := c.opts.Wait(ctx, pause); err != nil {
			return d.written, err
		}
	}
}

// download is a file on its way.
type download struct {
	c       *Client
	req     *request
	w       io.Writer
	written int64
	total   int64  // of the file; -1 unknown
	version string // the ETag or date of what was written so far
	cut     bool   // the last attempt broke off within the file
}

// fetch gets the rest of the file.
func (d *download) fetch(ctx context.Context) error {
	d.cut = false
	if d.written > 0 {
		d.req.header.Set("Range", "bytes="+strconv.FormatInt(d.written, 10)+"-")
	}
	resp, err := d.c.send(ctx, d.req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if d.written == 0 && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		return notService(d.req, resp, "a web page")
	}
	skip, err := d.position(resp)
	if err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, resp.Body, skip); err != nil {
		return d.broken(ctx, err)
	}
	return d.copy(ctx, resp.Body)
}

// position finds where in the file the answer begins and gives how many of its
// bytes are written already.
func (d *download) position(resp *http.Response) (skip int64, err error) {
	start, total := int64(0), resp.ContentLength
	if resp.StatusCode == http.StatusPartialContent {
		if start, total, err = parseContentRange(resp.Header.Get("Content-Range")); err != nil || start > d.written {
			return 0, notService(d.req, resp, "another part of the file than was asked for")
		}
	}
	version := resp.Header.Get("ETag")
	if version == "" {
		version = resp.Header.Get("Last-Modified")
	}
	changed := version != d.version || total >= 0 && d.total >= 0 && total != d.total
	if d.written > 0 && changed {
		return 0, fmt.Errorf("the file changed on the service while it was downloaded; download it again")
	}
	d.version = version
	if total >= 0 {
		d.total = total
	}
	return d.written - start, nil
}

// copy writes body, telling the failures of w from those of the network.
func (d *download) copy(ctx context.Context, body io.Reader) error {
	buf := make([]byte, 64<<10)
	for {
		n, readErr := body.Read(buf)
		if n > 0 {
			m, err := d.w.Write(buf[:n])
			d.written += int64(m)
			if err != nil {
				return err
			}
		}
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			return d.broken(ctx, readErr)
		}
	}
	if d.total >= 0 && d.written != d.total {
		return d.broken(ctx, fmt.Errorf("%d of %d bytes: %w", d.written, d.total, io.ErrUnexpectedEOF))
	}
	return nil
}

func (d *download) broken(ctx context.Context, err error) error {
	d.cut = true
	return d.c.networkError(ctx, d.req, err)
}

// parseContentRange reads "bytes 5-9/10"; total is -1 for "*".
func parseContentRange(text string) (start, total int64, err error) {
	span, size, ok := strings.Cut(strings.TrimPrefix(text, "bytes "), "/")
	first, _, ok2 := strings.Cut(span, "-")
	if !ok || !ok2 {
		return 0, 0, fmt.Errorf("Content-Range %q cannot be read", text)
	}
	if start, err = strconv.ParseInt(first, 10, 64); err != nil || start < 0 {
		return 0, 0, fmt.Errorf("Content-Range %q cannot be read", text)
	}
	if size == "*" {
		return start, -1, nil
	}
	total, err = strconv.ParseInt(size, 10, 64)
	return start, total, err
}
