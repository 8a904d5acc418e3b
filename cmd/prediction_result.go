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

// target is where a file from the service goes.
type target struct {
	host  *host
	path  string
	force bool
	// content is what is in the file, in words.
	content string
	// noReceipt leaves out the document that tells where a result is from.
	noReceipt bool
	// columns are those of the result that are kept; nil for all.
	columns columnsFlag
}

func (t *target) bind(cmd *cobra.Command, h *host) {
	t.host, t.content = h, "the predictions themselves"
	cmd.Flags().StringVarP(&t.path, "output", "o", "", "`file` for the predictions, - for standard output (default BLIND.predictions.csv)")
	cmd.Flags().BoolVar(&t.force, "force", false, "replace the output file and its receipt if they exist")
	cmd.Flags().Var(&t.columns, "columns", "write only these `columns`, such as id,prediction,probability; NEW=SOURCE renames one")
	cmd.Flags().BoolVar(&t.noReceipt, "no-receipt", false, "write no OUTPUT.receipt.json beside the output")
}

// toStdout reports whether the result itself is what is printed.
func (t *target) toStdout() bool { return t.path == "-" }

// check refuses to print two documents on standard output.
func (t *target) check(o *output) error {
	if t.toStdout() && (o.json || len(o.fields) > 0) {
		return usage("-o - prints %s, so there is no room for --json", t.content).advise("name a file with -o")
	}
	return nil
}

// settle chooses the path beside the blind file if none was named, and refuses
// to work for a file that exists, or for one that is read.
func (t *target) settle(blind *input, others ...*input) error {
	if t.path == "" {
		dir := filepath.Dir(blind.paths[0])
		if blind.kept() {
			dir = "."
		}
		t.path = filepath.Join(dir, blind.stem()+".predictions.csv")
	}
	for _, in := range append(others, blind) {
		if in.reads(t.path) {
			return usage("the output %s is the input %s", t.path, in.name).advise("name another file with -o")
		}
	}
	return t.free()
}

// sameFile reports whether two paths lead to one regular file.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
}

// free is an error if the file exists and may not be replaced.
func (t *target) free() error {
	if t.toStdout() {
		return nil
	}
	info, err := os.Stat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if dir := filepath.Dir(t.path); !isDir(dir) {
			return fail(ExitNotFound, "there is no folder %s for the output", dir).
				advise("make it first, or name another file with -o")
		}
		return t.unclaimed()
	case err != nil:
		return err
	case info.IsDir():
		return usage("the output %s is a folder", t.path).advise("name a file with -o")
	case !info.Mode().IsRegular():
		return nil // see passes
	case !t.force:
		return fail(ExitConflict, "the output %s exists", t.path).advise("replace it with --force, or name another file with -o")
	}
	return nil
}

// passes tells that the target is a device or a pipe: what is written to it
// goes through, so that it can be neither replaced nor taken back.
func (t *target) passes() bool {
	if t.toStdout() {
		return true
	}
	info, err := os.Stat(t.path)
	return err == nil && !info.Mode().IsRegular()
}

// download is a result on its way to a target.
type download struct {
	walk *walk
	evidence
	// check proves the file that was written, before it gets its name.
	check func(part string) error
}

// fetch downloads a result, proves it, and gives it its name and its receipt.
func (t *target) fetch(ctx context.Context, d download) error {
	return t.receive(ctx, arrival{
		progress: d.walk.progress, standIn: "result.csv", check: d.check, again: t.later(d.prediction.PredictionKey, nil),
		get: func(w io.Writer) (int64, error) {
			return d.walk.Download(ctx, d.prediction.PredictionResultURL, w)
		},
		land: func(part, end string) error { return t.land(ctx, part, end, d) },
	})
}

// arrival is a file on its way from the service to a target.
type arrival struct {
	progress *term.Progress
	// standIn is the file's name where the target has none.
	standIn string
	// get writes the file.
	get func(w io.Writer) (int64, error)
	// check proves the file that was written, before land gives it its name.
	check func(part string) error
	land  func(part, end string) error
	// again is the command that gets the file once more.
	again string
}

// receive writes a file to a hidden one beside the target, proves it, and gives
// it its name. On any error nothing is left behind.
func (t *target) receive(ctx context.Context, a arrival) (err error) {
	end := t.path
	if linked, err := filepath.EvalSymlinks(end); err == nil {
		end = linked // the file that a link names is replaced, not the link
	}
	dir, name := filepath.Dir(end), filepath.Base(end)
	if t.passes() {
		dir, name = os.TempDir(), a.standIn
	}
	part, err := createPart(dir, name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part.Name()) // err says what went wrong
		}
	}()
	meter := a.progress.Bytes("downloading "+name, -1)
	_, err = a.get(&counted{part, meter, 0})
	meter.Done()
	if err = cmp.Or(err, part.Sync(), part.Close()); err != nil {
		return a.broken(err)
	}
	if err = a.check(part.Name()); err != nil {
		return err
	}
	if err = t.columns.project(ctx, part.Name()); err != nil {
		return a.broken(err)
	}
	if t.passes() {
		return errors.Join(t.pass(part.Name()), os.Remove(part.Name()))
	}
	if err = a.land(part.Name(), end); err != nil {
		return a.broken(err)
	}
	return nil
}

// pass copies a proved result to a target that it goes through.
func (t *target) pass(path string) error {
	if t.toStdout() {
		return copyFile(t.host.console.Out, path)
	}
	dst, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(copyFile(dst, path), dst.Close())
}

// broken says how to get a result that did not arrive. What the disk refused,
// the service still has.
func (a *arrival) broken(err error) error {
	var disk *fs.PathError
	if !errors.As(err, &disk) {
		return err
	}
	return fail(ExitUnexpected, "%w", err).
		advise("nothing is left of it here; with room for it: `%s`", a.again)
}

// createPart makes a hidden file for what will become name, readable for whom
// the user's own files are.
func createPart(dir, name string) (*os.File, error) {
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	path := filepath.Join(dir, "."+name+".part-"+hex.EncodeToString(random[:]))
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
}

// counted tells a meter what is written.
type counted struct {
	w     io.Writer
	meter *term.Meter
	n     int64
}

func (c *counted) Write(p []byte) (int, error) {
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

// proof checks a result against the blind file that it is for. classes are the
// labels that may be predicted; nil takes those that the result names.
func (in *input) proof(ctx context.Context, classes []string, rows *int) func(part string) error {
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
		f := fail(ExitUntrusted, "the result is not what %s asks for: %w", in.name, err)
		var defect *frame.Defect
		if errors.As(err, &defect) {
			f.code, f.line, f.column = defect.Code, defect.Line, defect.Column
		}
		return f.advise("nothing was written; is it the file that was predicted?")
	}
}

// plausible checks a result without its blind file: that it has as many rows as
// the service says, and where the classes are known, what was predicted.
func plausible(ctx context.Context, p *api.Prediction, classes []string, rows *int) func(part string) error {
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
			return fail(ExitUntrusted, "the result is damaged: %w", err).advise(again, p.PredictionKey)
		}
		if p.Rows > 0 && int64(profile.Rows) != p.Rows {
			return fail(ExitUntrusted, "the result has %s, but %d were predicted", plural(profile.Rows, "row"), p.Rows).advise(again, p.PredictionKey)
		}
		if len(classes) == 0 {
			return nil
		}
		if _, err := result.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := frame.VerifyProbabilities(ctx, result, classes); err != nil {
			return fail(ExitUntrusted, "the result is damaged: %w", err).advise(again, p.PredictionKey)
		}
		return nil
	}
}

// later is the command that gets a result whose wait was broken off. blind may
// be nil.
func (t *target) later(key string, blind *input) string {
	command := "foretell predictions download " + key
	if blind != nil && !blind.kept() {
		command += " " + blind.arguments("--blind")
	}
	if t.columns != nil {
		command += " --columns " + quote(t.columns.String())
	}
	return command + " -o " + quote(t.path)
}

// prediction waits until a prediction is done; again is the command that goes on
// with a wait that is broken off.
func (w *walk) prediction(ctx context.Context, key, again string) (*api.Prediction, error) {
	if err := w.takeUp(ctx, key); err != nil {
		return nil, err
	}
	phase := w.progress.Phase("predicting")
	defer phase.Done()
	p, err := w.WaitPrediction(ctx, key, func(p *api.Prediction) {
		if p.Rows > 0 {
			phase.Tick(fmt.Sprintf("%d rows done", p.Rows))
		} else {
			phase.Tick("")
		}
	})
	if err != nil {
		return nil, w.left(ctx, err, "prediction", key, again)
	}
	if p.Status != api.PredictionCompleted {
		f := fail(ExitJobFailed, "prediction %s ended as %s", key, p.Status)
		if p.FailureReason != "" {
			f.fact += ": " + p.FailureReason
		}
		return nil, f.advise("compare the files with `foretell check TRAIN.csv BLIND.csv`")
	}
	return p, nil
}

// predict sends a blind file to a model.
func (w *walk) predict(ctx context.Context, model string, blind *upload) (*api.CreatedPrediction, error) {
	meter := w.progress.Bytes("uploading "+blind.in.name, blind.size)
	created, err := w.CreatePrediction(ctx, model, blind.in.source(ctx, blind.size), meter.Set)
	meter.Done()
	if err != nil {
		return nil, rejected(ctx, blind.in.name, err)
	}
	return created, nil
}

// classes are the labels of a dataset.
func (c *connection) classes(ctx context.Context, dataset string) ([]string, error) {
	d, err := client.Call(ctx, c.Client, api.GetDataset, &api.DatasetInput{DatasetKey: dataset})
	if err != nil {
		return nil, err
	}
	return labelsOf(d), nil
}

// labelsOf are the labels of a dataset; nil where the service does not tell.
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
