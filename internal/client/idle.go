package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// defaultIdleTimeout is the default of Options.IdleTimeout.
const defaultIdleTimeout = time.Minute

// idleTimeoutBody is the body of a response. A Read that waits for longer than timeout ends the
// request and returns an error. The time between two reads does not count.
type idleTimeoutBody struct {
	body    io.ReadCloser
	timeout time.Duration
	cancel  context.CancelFunc // ends the request
	expired bool               // whether a Read has waited for longer than timeout
}

func (b *idleTimeoutBody) Read(p []byte) (int, error) {
	timer := time.AfterFunc(b.timeout, b.cancel)
	n, err := b.body.Read(p)
	if !timer.Stop() {
		b.expired = true // if this Read returns data, the next Read fails
	}
	if b.expired && err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("no data arrived for %s", b.timeout)
	}
	return n, err
}

// Close closes the body and releases the request.
func (b *idleTimeoutBody) Close() error {
	defer b.cancel()
	return b.body.Close()
}
