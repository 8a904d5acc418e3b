package cmd

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"foretell/internal/term"
)

// resultDownload is the download of a result.
type resultDownload struct {
	session *session
	provenance
	// check verifies the temporary file before it is renamed.
	check func(part string) error
}

// download downloads and verifies a result, and installs it with its receipt.
func (t *outputFile) download(ctx context.Context, d resultDownload) error {
	return t.writeTemp(ctx, fileDownload{
		progress: d.session.progress, defaultName: "result.csv", check: d.check, retry: t.resumeCommand(d.prediction.PredictionKey, nil),
		get: func(w io.Writer) (int64, error) {
			return d.session.Download(ctx, d.prediction.PredictionResultURL, w)
		},
		install: func(part, end string) error { return t.install(ctx, part, end, d) },
	})
}

// fileDownload is the download of a file.
type fileDownload struct {
	progress *term.Progress
	// defaultName is the file name if the target has none.
	defaultName string
	// get downloads the file.
	get func(w io.Writer) (int64, error)
	// check verifies the temporary file before install renames it.
	check   func(part string) error
	install func(part, end string) error
	// retry is the command that downloads the file again.
	retry string
}

// writeTemp downloads to a temporary file beside the target, verifies it and installs it.
// On an error nothing is left behind.
func (t *outputFile) writeTemp(ctx context.Context, a fileDownload) (err error) {
	end := t.path
	if linked, err := filepath.EvalSymlinks(end); err == nil {
		end = linked // the file that a link names is replaced, not the link
	}
	dir, name := filepath.Dir(end), filepath.Base(end)
	if t.isStream() {
		dir, name = os.TempDir(), a.defaultName
	}
	part, err := createTemp(dir, name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part.Name()) // err says what went wrong
		}
	}()
	meter := a.progress.Bytes("downloading "+name, -1)
	_, err = a.get(&countingWriter{part, meter, 0})
	meter.Done()
	if err = cmp.Or(err, part.Sync(), part.Close()); err != nil {
		return a.writeError(err)
	}
	if err = a.check(part.Name()); err != nil {
		return err
	}
	if err = t.columns.project(ctx, part.Name()); err != nil {
		return a.writeError(err)
	}
	if t.isStream() {
		return errors.Join(t.copyThrough(part.Name()), os.Remove(part.Name()))
	}
	if err = a.install(part.Name(), end); err != nil {
		return a.writeError(err)
	}
	return nil
}

// copyThrough copies a verified file to a stream.
func (t *outputFile) copyThrough(path string) error {
	if t.toStdout() {
		return copyFile(t.host.console.Out, path)
	}
	dst, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(copyFile(dst, path), dst.Close())
}

// writeError adds the command to retry to an error of the local disk: the service still
// has the file.
func (a *fileDownload) writeError(err error) error {
	var disk *fs.PathError
	if !errors.As(err, &disk) {
		return err
	}
	return exitErrorf(ExitUnexpected, "%w", err).
		withHint("the incomplete file was removed; free some space, then run `%s`", a.retry)
}

// countingWriter reports written bytes to a meter.
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
