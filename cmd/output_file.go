package cmd

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/frame"
	"foretell/internal/term"
)

// outputFile is the destination of a downloaded file.
type outputFile struct {
	host  *factory
	path  string
	force bool
	// content describes the file in messages.
	content string
	// noReceipt disables the receipt.
	noReceipt bool
	// columns are the columns of the result to keep; nil for all.
	columns columnsFlag
}

func (t *outputFile) bind(cmd *cobra.Command, f *factory) {
	t.host, t.content = f, "the predictions"
	cmd.Flags().StringVarP(&t.path, "output", "o", "", "`file` for the predictions, - for standard output (default BLIND.predictions.csv)")
	cmd.Flags().BoolVar(&t.force, "force", false, "replace the output file and its receipt if they exist")
	cmd.Flags().Var(&t.columns, "columns", "write only these `columns`, such as id,prediction,probability; NEW=SOURCE renames one")
	cmd.Flags().BoolVar(&t.noReceipt, "no-receipt", false, "write no OUTPUT.receipt.json beside the output")
}

// toStdout reports whether the file goes to standard output.
func (t *outputFile) toStdout() bool { return t.path == "-" }

// checkStdout returns an error if both the file and JSON would go to standard output.
func (t *outputFile) checkStdout(o *output) error {
	if t.toStdout() && (o.json || len(o.fields) > 0) {
		return usageErrorf("-o - prints %s and cannot be combined with --json", t.content).withHint("name a file with -o")
	}
	return nil
}

// resolvePath sets the default path beside the blind file. It returns an error if the
// file exists or is an input.
func (t *outputFile) resolvePath(blind *input, others ...*input) error {
	if t.path == "" {
		dir := filepath.Dir(blind.paths[0])
		if blind.isSpooled() {
			dir = "."
		}
		t.path = filepath.Join(dir, blind.stem()+".predictions.csv")
	}
	for _, in := range append(others, blind) {
		if in.reads(t.path) {
			return usageErrorf("the output %s is the input %s", t.path, in.name).withHint("name another file with -o")
		}
	}
	return t.checkFree()
}

// sameFile reports whether two paths refer to the same regular file.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
}

// checkFree returns an error if the file exists and must not be replaced.
func (t *outputFile) checkFree() error {
	if t.toStdout() {
		return nil
	}
	info, err := os.Stat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if dir := filepath.Dir(t.path); !isDir(dir) {
			return exitErrorf(ExitNotFound, "the folder %s of the output does not exist", dir).
				withHint("create it, or name another file with -o")
		}
		return t.checkReceiptFree()
	case err != nil:
		return err
	case info.IsDir():
		return usageErrorf("the output %s is a folder", t.path).withHint("name a file with -o")
	case !info.Mode().IsRegular():
		return nil // see passes
	case !t.force:
		return exitErrorf(ExitConflict, "the output %s already exists", t.path).withHint("replace it with --force, or name another file with -o")
	}
	return nil
}

// isStream reports whether the target is a device or a pipe, which can neither be
// replaced nor removed.
func (t *outputFile) isStream() bool {
	if t.toStdout() {
		return true
	}
	info, err := os.Stat(t.path)
	return err == nil && !info.Mode().IsRegular()
}

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

// createTemp creates a hidden file in dir for a file called name, with the user's default
// permissions.
func createTemp(dir, name string) (*os.File, error) {
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	path := filepath.Join(dir, "."+name+".part-"+hex.EncodeToString(random[:]))
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
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

func copyFile(dst io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(dst, file)
	return err
}

// resultVerifier returns a check of a result against its blind file. classes are the
// valid labels; nil accepts those in the result.
func (in *input) resultVerifier(ctx context.Context, classes []string, rows *int) func(part string) error {
	return func(part string) error {
		result, err := os.Open(part)
		if err != nil {
			return err
		}
		defer result.Close()
		blind, err := in.open(ctx)
		if err != nil {
			return err
		}
		defer blind.Close()
		*rows, err = frame.Verify(ctx, blind, result, classes)
		if err == nil || ctx.Err() != nil {
			return err
		}
		e := exitErrorf(ExitUntrusted, "the result does not match %s: %w", in.name, err)
		var defect *frame.Defect
		if errors.As(err, &defect) {
			e.code, e.line, e.column = defect.Code, defect.Line, defect.Column
		}
		return e.withHint("nothing was written; is it the file that was predicted?")
	}
}

// plausibilityCheck returns a check of a result without its blind file: the number of
// rows, and if the classes are known, the predictions.
func plausibilityCheck(ctx context.Context, p *api.Prediction, classes []string, rows *int) func(part string) error {
	const again = "nothing was written; try again with `foretell predictions download %s`"
	return func(part string) error {
		result, err := os.Open(part)
		if err != nil {
			return err
		}
		defer result.Close()
		profile, err := frame.Scan(ctx, result, frame.ScanOptions{Blind: true})
		if err != nil {
			return err
		}
		*rows = profile.Rows
		if err := profile.Err(); err != nil {
			return exitErrorf(ExitUntrusted, "the result is damaged: %w", err).withHint(again, p.PredictionKey)
		}
		if p.Rows > 0 && int64(profile.Rows) != p.Rows {
			return exitErrorf(ExitUntrusted, "the result has %s, but %d were predicted", plural(profile.Rows, "row"), p.Rows).withHint(again, p.PredictionKey)
		}
		if len(classes) == 0 {
			return nil
		}
		if _, err := result.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := frame.VerifyProbabilities(ctx, result, classes); err != nil {
			return exitErrorf(ExitUntrusted, "the result is damaged: %w", err).withHint(again, p.PredictionKey)
		}
		return nil
	}
}

// resumeCommand returns the command that downloads a result later. blind may be nil.
func (t *outputFile) resumeCommand(key string, blind *input) string {
	command := "foretell predictions download " + key
	if blind != nil && !blind.isSpooled() {
		command += " " + blind.shellArguments("--blind")
	}
	if t.columns != nil {
		command += " --columns " + shellQuote(t.columns.String())
	}
	return command + " -o " + shellQuote(t.path)
}

// awaitPrediction waits until a prediction is done; again is the command that continues
// an interrupted wait.
func (c *session) awaitPrediction(ctx context.Context, key, again string) (*api.Prediction, error) {
	if err := c.runLocally(ctx, key); err != nil {
		return nil, err
	}
	phase := c.progress.Phase("predicting")
	defer phase.Done()
	p, err := c.WaitPrediction(ctx, key, func(p *api.Prediction) {
		if p.Rows > 0 {
			phase.Tick(fmt.Sprintf("%d rows done", p.Rows))
		} else {
			phase.Tick("")
		}
	})
	if err != nil {
		return nil, c.waitError(ctx, err, "prediction", key, again)
	}
	if p.Status != api.PredictionCompleted {
		e := exitErrorf(ExitJobFailed, "prediction %s ended as %s", key, p.Status)
		if p.FailureReason != "" {
			e.fact += ": " + p.FailureReason
		}
		return nil, e.withHint("compare the files with `foretell check TRAIN.csv BLIND.csv`")
	}
	return p, nil
}

// submitPrediction sends a blind file to a model.
func (c *session) submitPrediction(ctx context.Context, model string, blind *upload) (*api.CreatedPrediction, error) {
	meter := c.progress.Bytes("uploading "+blind.in.name, blind.size)
	created, err := c.CreatePrediction(ctx, model, blind.in.uploadSource(ctx, blind.size), meter.Set)
	meter.Done()
	if err != nil {
		return nil, fileRejected(ctx, blind.in.name, err)
	}
	return created, nil
}

// classLabels returns the labels of a dataset.
func (c *session) classLabels(ctx context.Context, dataset string) ([]string, error) {
	d, err := client.Call(ctx, c.Client, api.GetDataset, &api.DatasetInput{DatasetKey: dataset})
	if err != nil {
		return nil, err
	}
	return labelsOf(d), nil
}

// labelsOf returns the labels of a dataset; nil if unknown.
func labelsOf(d *api.Dataset) []string {
	if len(d.Classes) == 0 {
		return nil
	}
	labels := make([]string, len(d.Classes))
	for i, class := range d.Classes {
		labels[i] = class.Label
	}
	return labels
}
