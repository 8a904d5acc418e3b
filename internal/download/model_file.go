package download

import (
	"cmp"
	"context"
	"os"

	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/learn/model"
)

// WithModelFile downloads a model to a temporary file, calls fn with the path of the file,
// and removes the file.
func WithModelFile(ctx context.Context, session *connect.Session, key string, fn func(path string) error) error {
	file, err := os.CreateTemp("", "foretell-model-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = session.DownloadModel(ctx, key, file)
	if err = cmp.Or(err, file.Close()); err != nil {
		return err
	}
	return fn(file.Name())
}

// VerifyModelFile verifies the checksum of a model file. retryCommand is the command that
// downloads the file again; the hint of the error contains it.
func VerifyModelFile(path, retryCommand string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := model.Verify(file, info.Size()); err != nil {
		return exit.Errorf(exit.Untrusted, "the downloaded file is unusable: %w", err).WithHint("no model was written; try again with `%s`", retryCommand)
	}
	return nil
}
