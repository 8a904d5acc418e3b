// Package download downloads and verifies the result of a prediction. It writes the result to a
// file with a receipt next to it, or to standard output. If the predicted file has labels, it also
// scores the result. The commands that predict use it.
package download

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/symlink"
	"foretell/internal/term"
)

// ResultDownload describes a result to download.
type ResultDownload struct {
	Session *connect.Session
	Provenance
	// Check verifies the downloaded file, which is at tempPath.
	Check func(tempPath string) error
	// Retry is the command that downloads the result again. Defaults to the result of
	// [OutputFile.ResumeCommand] for a nil file.
	Retry string
}

// Download downloads and verifies a result, moves it to the path of t and writes its receipt.
func (t *OutputFile) Download(ctx context.Context, d ResultDownload) error {
	retry := cmp.Or(d.Retry, t.ResumeCommand(d.Prediction.PredictionKey, nil))
	return t.DownloadFile(ctx, FileDownload{
		Progress: d.Session.Progress, DefaultName: "result.csv", Check: d.Check, Classes: d.Classes, Retry: retry,
		Get: func(w io.Writer) (int64, error) {
			n, err := d.Session.Download(ctx, d.Prediction.PredictionResultURL, w)
			var disk *fs.PathError
			if errors.As(err, &disk) { // DownloadFile adds a hint
				return n, err
			}
			return n, exit.WithContinueCommand(ctx, err, retry)
		},
		Install: func(tempPath, finalPath string) error { return t.installResult(ctx, tempPath, finalPath, d) },
	})
}

// FileDownload describes a file to download.
type FileDownload struct {
	Progress *term.Progress
	// DefaultName is the name of the temporary file if the destination is a stream.
	DefaultName string
	// Get writes the file to w and returns its size.
	Get func(w io.Writer) (int64, error)
	// Check verifies the downloaded file, which is at tempPath.
	Check func(tempPath string) error
	// Classes are the labels of the model's classes if the file has predictions; nil if unknown.
	Classes []string
	// Install moves the file from tempPath to finalPath. The error wraps fs.ErrExist if there is a
	// file at finalPath that must not be replaced.
	Install func(tempPath, finalPath string) error
	// Retry is the command that downloads the file again.
	Retry string
}

// DownloadFile downloads a file under a temporary name and verifies it. Then it calls Install or,
// if the destination is a stream, copies the file to it. After an error, it removes the temporary
// file.
func (t *OutputFile) DownloadFile(ctx context.Context, a FileDownload) (err error) {
	finalPath := symlink.Resolve(t.Path) // write the target of a link, and keep the link
	name := filepath.Base(finalPath)
	var temp *os.File
	if t.isStream() {
		name = a.DefaultName
		temp, err = os.CreateTemp("", ".foretell.part-") // only its owner can read it
	} else {
		temp, err = cli.CreateTemp(filepath.Dir(finalPath))
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	meter := a.Progress.StartTransfer("downloading "+name, -1)
	_, err = a.Get(&countingWriter{temp, meter, 0})
	meter.Done()
	if err = cmp.Or(err, temp.Sync(), temp.Close()); err != nil {
		return a.addRetryHint(err)
	}
	if err = a.Check(temp.Name()); err != nil {
		return err
	}
	if err = t.Columns.ProjectFile(ctx, temp.Name(), a.Classes); err != nil {
		return a.addRetryHint(err)
	}
	if t.isStream() {
		return errors.Join(t.copyToStream(ctx, temp.Name()), os.Remove(temp.Name()))
	}
	err = a.Install(temp.Name(), finalPath)
	var taken *fs.PathError
	if !t.Force && errors.Is(err, fs.ErrExist) && errors.As(err, &taken) {
		err = installUnderOtherName(a.Install, temp.Name(), finalPath, taken.Path)
	}
	return a.addRetryHint(err)
}

// copyToStream copies the verified file at path to standard output, a device or a pipe. If ctx ends
// first, because the reader of a pipe is slow, it returns the cause of ctx. The write then stays
// blocked until the process ends.
func (t *OutputFile) copyToStream(ctx context.Context, path string) error {
	done := make(chan error, 1)
	go func() {
		if t.ToStdout() {
			done <- cli.CopyFile(t.Factory.Console.Out, path)
			return
		}
		dst, err := os.OpenFile(t.Path, os.O_WRONLY, 0)
		if err != nil {
			done <- err
			return
		}
		done <- errors.Join(cli.CopyFile(dst, path), dst.Close())
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// addRetryHint adds the command that downloads the file again, as a hint, to an error of the local
// disk. It returns any other error, and an error with a hint, unchanged.
func (a *FileDownload) addRetryHint(err error) error {
	var disk *fs.PathError
	var complete *exit.Error
	if !errors.As(err, &disk) || errors.As(err, &complete) {
		return err
	}
	remedy := "remedy the cause"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		remedy = "free some space"
	}
	if errors.Is(err, syscall.EFBIG) {
		remedy = "raise the limit on the size of files with `ulimit -f unlimited`"
	}
	return exit.Errorf(exit.Unexpected, "%w", err).
		WithHint("the incomplete file was removed; %s, then run `%s`", remedy, a.Retry)
}

// countingWriter writes to w and reports the number of written bytes as progress.
type countingWriter struct {
	w     io.Writer
	meter *term.Meter
	n     int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	c.meter.Set(c.n)
	return n, err
}
