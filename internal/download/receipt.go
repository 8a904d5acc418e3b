package download

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/receipt"
	"foretell/internal/term"
)

// Provenance holds what a command knows about the origin of a result. Only Prediction is required.
type Provenance struct {
	Train, Blind *receipt.Input
	Options      *receipt.Options
	Classes      []string
	Prediction   *api.Prediction
	Label        *BlindLabel // nil if the blind file is not known
	Warnings     []receipt.Warning
	Rows         *int // number of rows of the result; set when it is verified
}

// newReceipt returns the receipt of a result, without the digests of the result. Fields that are
// unknown stay empty.
func newReceipt(ctx context.Context, c *connect.Session, e *Provenance) *receipt.Receipt {
	r := receipt.New(e.Prediction)
	r.Training, r.Blind, r.Options, r.Classes = e.Train, e.Blind, e.Options, e.Classes
	r.TrainingOverlap, r.Warnings = e.Label.TrainingOverlap(), e.Warnings
	r.Service = receipt.Service{Address: receipt.Embedded, Version: r.Binary.Version}
	if !c.Embedded {
		r.Service = receipt.Service{Address: c.BaseURL()}
		if about, err := c.About(ctx); err == nil {
			r.Service.Version = about.Version
		}
	}
	r.DescribeModel(ctx, c.Client)
	return r
}

// installResult moves a verified result from tempPath to finalPath. It also writes the
// receipt, if NoReceipt is not set.
func (t *OutputFile) installResult(ctx context.Context, tempPath, finalPath string, d ResultDownload) error {
	if t.NoReceipt {
		return t.InstallWithoutReceipt(tempPath, finalPath)
	}
	t.Reasons = int(d.Prediction.Reasons)
	return t.InstallWithReceipt(ctx, tempPath, finalPath, newReceipt(ctx, d.Session, &d.Provenance), *d.Rows)
}

// InstallWithReceipt moves a verified result from tempPath to finalPath, completes the receipt r
// and writes it next to the result. rows is the number of rows of the result. With --force, the
// receipt of an earlier result is removed first. Without --force, if one of the two files exists,
// InstallWithReceipt keeps the file at tempPath and returns an error that wraps fs.ErrExist.
func (t *OutputFile) InstallWithReceipt(ctx context.Context, tempPath, finalPath string, r *receipt.Receipt, rows int) error {
	receiptPath := receipt.Path(finalPath)
	r.CreatedOn = api.FormatTime(t.Factory.Now())
	r.Result = receipt.Result{Name: filepath.Base(finalPath), Rows: rows, Columns: t.Columns.Names(), Selection: t.Columns.String(), Reasons: t.Reasons}
	tempReceipt, err := digestAndWriteReceipt(ctx, r, tempPath, receiptPath)
	if err != nil {
		return err
	}
	if t.Force { // the earlier receipt is removed before this one is installed
		err = cli.CopyPermissions(tempReceipt, receiptPath)
	}
	if err == nil {
		err = t.InstallWithoutReceipt(tempPath, finalPath)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tempReceipt))
	}
	return t.installReceipt(tempReceipt, tempPath, finalPath)
}

// installReceipt moves the receipt from tempReceipt to its place next to the result, which is
// already at finalPath. If another process has created the receipt, it moves the result back to
// tempPath and returns an error that wraps fs.ErrExist. After any other failure, the result stays
// at finalPath.
func (t *OutputFile) installReceipt(tempReceipt, tempPath, finalPath string) error {
	err := cli.InstallFile(tempReceipt, receipt.Path(finalPath), t.Force)
	switch {
	case err == nil:
		return nil
	case !t.Force && errors.Is(err, fs.ErrExist):
		return errors.Join(err, os.Remove(tempReceipt), os.Rename(finalPath, tempPath))
	}
	return exit.Errorf(exit.Unexpected, "%s was written, but not its receipt: %w", finalPath, errors.Join(err, cli.RemoveIfExists(tempReceipt))).
		WithHint("the predictions are complete and verified; to get a receipt, remedy the cause, and download the predictions again with --force")
}

// InstallWithoutReceipt moves a file without a receipt from tempPath to finalPath. With --force, it
// also removes the receipt of the file that it replaces. Without --force, it returns an error that
// wraps fs.ErrExist if the file or its receipt exists.
func (t *OutputFile) InstallWithoutReceipt(tempPath, finalPath string) error {
	receiptPath := receipt.Path(finalPath)
	if t.Force {
		if err := cli.RemoveIfExists(receiptPath); err != nil {
			return err
		}
	} else {
		for _, path := range []string{finalPath, receiptPath} {
			if _, err := os.Lstat(path); err == nil {
				return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
			}
		}
	}
	return cli.InstallFile(tempPath, finalPath, t.Force)
}

// installUnderOtherName moves the file at tempPath to a free name next to finalPath, such as
// out-2.csv. It is called if another process has created the file whose path is the parameter
// taken: finalPath or the path of its receipt. It always returns an error, which says where the
// result is. install is the function Install of [FileDownload].
func installUnderOtherName(install func(tempPath, finalPath string) error, tempPath, finalPath, taken string) error {
	ext := filepath.Ext(finalPath)
	for n := 2; ; n++ {
		path := strings.TrimSuffix(finalPath, ext) + "-" + strconv.Itoa(n) + ext
		err := install(tempPath, path)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		return exit.Errorf(exit.Conflict, "another process created the output %s while this command was running", taken).
			WithHint("that file was not replaced; this command has written the file %s instead", path)
	}
}

// digestAndWriteReceipt adds the digests of the result at tempPath to r, and writes r to a
// temporary file next to receiptPath. It returns the path of the temporary file.
func digestAndWriteReceipt(ctx context.Context, r *receipt.Receipt, tempPath, receiptPath string) (tempReceipt string, err error) {
	result, err := os.Open(tempPath)
	if err != nil {
		return "", err
	}
	defer result.Close()
	if r.Result.Digest, r.Result.Blocks, err = receipt.DigestResult(ctx, result); err != nil {
		return "", err
	}
	text, err := r.Encode()
	if err != nil {
		return "", err
	}
	file, err := cli.CreateTemp(filepath.Dir(receiptPath))
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	if err = cmp.Or(err, file.Sync(), file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// ReadReceipt reads the receipt at path. hint is the hint of the error if the receipt is
// damaged.
func ReadReceipt(path, hint string) (*receipt.Receipt, error) {
	rec, err := receipt.Read(path)
	switch {
	case errors.Is(err, receipt.ErrDamaged):
	case errors.Is(err, receipt.ErrNewer):
		hint = "use the version of foretell that wrote the receipt, or a newer one"
	default:
		return rec, err
	}
	return nil, exit.Errorf(exit.Untrusted, "%s: %w", path, err).At(path, 0, 0).WithHint("%s", hint)
}

// ReceiptPath returns the path of the receipt, or "" if no receipt is written.
func (t *OutputFile) ReceiptPath() string {
	if t.NoReceipt || t.isStream() {
		return ""
	}
	return receipt.Path(t.Path)
}

// checkMayWriteReceipt returns an error if the receipt cannot be written: its name is too long,
// something other than a file is in its place, or it exists and --force is not set.
func (t *OutputFile) checkMayWriteReceipt() error {
	receiptPath := receipt.Path(t.Path)
	info, err := os.Lstat(receiptPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENAMETOOLONG) && t.NoReceipt:
		return nil
	case errors.Is(err, syscall.ENAMETOOLONG):
		return exit.Usagef("the name of the receipt \"%s\" is too long", term.Truncate(receiptPath, 60)).WithHint("%s, or omit the receipt with --no-receipt", otherOutputHint)
	case err != nil:
		return err
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return exit.Usagef("the receipt \"%s\" is a folder or a device, not a file", receiptPath).WithHint(otherOutputHint)
	case !t.Force:
		return exit.Errorf(exit.Conflict, "the receipt \"%s\" already exists", receiptPath).WithHint("replace it with --force, or %s", otherOutputHint)
	}
	return nil
}
