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

// errIdle is wrapped by the error of a response whose body did not continue in time.
var errIdle = errors.New("no data arrived")

// idleTimeoutBody is the body of a response. A Read that waits for longer than timeout ends the
// request and returns an error that wraps errIdle. The time between two reads does not count.
type idleTimeoutBody struct {
	body    io.ReadCloser
	timeout time.Duration
	cancel  context.CancelFunc // ends the request
	expired bool               // whether a Read has waited for longer than timeout
}

func (b *idleTimeoutBody) Read(p []byte) (int, error) {
	expired := make(chan struct{})
	timer := time.AfterFunc(b.timeout, func() {
		close(expired)
		b.cancel()
	})
	n, err := b.body.Read(p)
	if !timer.Stop() {
		<-expired
		b.expired = true // if this Read returns data, the next one fails
	}
	if b.expired && err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w for %s", errIdle, b.timeout)
	}
	return n, err
}

// Close closes the body and releases the request.
func (b *idleTimeoutBody) Close() error {
	defer b.cancel()
	return b.body.Close()
}
