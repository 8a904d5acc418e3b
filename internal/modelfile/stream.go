package modelfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"foretell/internal/exit"
)

// maxPipedModelBytes is the maximum size of a model that is read from a stream and copied to a temporary
// file. The largest models have some hundred megabytes.
const maxPipedModelBytes = 4 << 30

// LocalCopy returns the path of a regular file with the model at path, because a model is read more
// than once. If path is - (stdin) or a pipe, the file is a temporary copy. The function remove
// deletes the temporary copy; for a regular file it does nothing.
func LocalCopy(ctx context.Context, path string, stdin io.Reader) (local string, remove func(), err error) {
	keep := func() {}
	open := func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }
	switch {
	case path == "-":
	case isStream(path):
		open = func() (io.ReadCloser, error) { return os.Open(path) }
	default:
		return path, keep, nil
	}
	file, err := os.CreateTemp("", "foretell-model-")
	if err != nil {
		return "", keep, err
	}
	remove = func() { _ = os.Remove(file.Name()) } // at worst, a temporary file remains
	err = errors.Join(copyStream(ctx, file, open), file.Close())
	if err != nil {
		remove()
		return "", keep, fmt.Errorf("%s: %w", path, err)
	}
	return file.Name(), remove, nil
}

// isStream reports whether there is a pipe or a device at path.
func isStream(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// copyStream copies a stream of at most maxPipedModelBytes to dst. Opening and reading a pipe may block
// forever, so another goroutine does both, and copyStream returns when ctx ends.
func copyStream(ctx context.Context, dst io.Writer, open func() (io.ReadCloser, error)) error {
	copied := make(chan error, 1)
	go func() {
		src, err := open()
		if err != nil {
			copied <- err
			return
		}
		n, err := io.Copy(dst, io.LimitReader(src, maxPipedModelBytes+1))
		if n > maxPipedModelBytes {
			err = exit.Errorf(exit.Rejected, "the model has more than 4 GiB").WithHint("save it to a file, and pass the path of the file")
		}
		copied <- errors.Join(err, src.Close())
	}()
	select {
	case err := <-copied:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
