package download

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"foretell/internal/exit"
	"foretell/internal/preflight"
	"foretell/internal/receipt"
	"foretell/internal/table/csvfile"
	"foretell/internal/term"
)

// CheckBlindDigest returns an error if blind does not have the digest of the predicted file in a
// receipt. rec is the receipt, and receiptPath its path.
func CheckBlindDigest(ctx context.Context, blind *preflight.InputTable, receiptPath string, rec *receipt.Receipt) error {
	seen, err := blind.ReceiptInput(ctx, 0)
	if err != nil || rec.Blind == nil || seen.Digest == rec.Blind.Digest {
		return err
	}
	return exit.Errorf(exit.Untrusted, "%s is not the blind file of %s", blind.Name, receiptPath).
		WithHint("set --blind to the unchanged file from which the predictions were made, %s", term.ShellQuote(rec.Blind.Name))
}

// MismatchError returns the error for a result at path that does not match the receipt rec at
// receiptPath. err is the error of [receipt.Receipt.Verify].
func MismatchError(ctx context.Context, path, receiptPath string, rec *receipt.Receipt, err error) error {
	if ctx.Err() != nil {
		return err
	}
	e := exit.Errorf(exit.Untrusted, "%s does not match %s: %w", path, receiptPath, err)
	e.Code, e.File = "changed", path
	var (
		place  *receipt.LineDifference
		defect *csvfile.Defect
	)
	switch {
	case errors.As(err, &defect):
		e.Line, e.Column = defect.Line, defect.Column
	case errors.As(err, &place):
		e.Line = place.From
	}
	return e.WithHint("%s", RecreateHint(rec, path))
}

// RecreateHint returns a hint with the command that downloads or predicts the result again and
// writes it to path.
func RecreateHint(rec *receipt.Receipt, path string) string {
	rest := " -o " + term.ShellQuote(path) + " --force"
	if rec.Result.Selection != "" {
		rest = " --columns " + term.ShellQuote(rec.Result.Selection) + rest
	}
	if rec.Model.File == nil || rec.Blind == nil {
		return "download the result again with `foretell predictions download " + rec.PredictionKey + rest + "`"
	}
	if rec.Result.Reasons > 0 {
		rest = " --explain " + strconv.Itoa(rec.Result.Reasons) + rest
	}
	folder := filepath.Dir(path)
	command := "foretell predict"
	for _, name := range rec.Blind.FileNames() {
		command += " " + preflight.ShellArgument(findNextToReceipt(folder, name))
	}
	command += " --model " + preflight.ShellArgument(findNextToReceipt(folder, rec.Model.File.Name))
	if o := rec.Options; o != nil {
		for _, arg := range appendLayoutFlags(appendFlags(nil, "--id", o.GivenID), o) {
			command += " " + term.ShellQuote(arg)
		}
	}
	return "predict again with `" + command + rest + "`"
}

// findNextToReceipt returns a path of the file called name. Receipts name files without their
// folders. If folder has such a file and the current folder has none, the path is in folder.
// Otherwise the path is name.
func findNextToReceipt(folder, name string) string {
	path := filepath.Join(folder, name)
	if _, err := os.Stat(name); err == nil || filepath.IsAbs(name) {
		return name
	}
	if _, err := os.Stat(path); err != nil {
		return name
	}
	return path
}
