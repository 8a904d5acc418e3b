package prediction

import (
	"cmp"
	"context"
	"os"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/download"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/preflight"
	"foretell/internal/receipt"
)

type predictionsVerifyOptions struct {
	output  cli.Output
	layout  preflight.LayoutFlags
	factory *cli.Factory

	blind   []string
	receipt string
}

func newPredictionsVerifyCmd(f *cli.Factory) *cobra.Command {
	opts := &predictionsVerifyOptions{factory: f}
	cmd := &cobra.Command{
		Use: "verify RESULT", Short: "Verify a result CSV against its receipt and its blind file, offline",
		Long: `Checks with the receipt that no byte of the result has changed, that each row has a
known class, and that the probabilities of each row sum to 1. The receipt defaults
to RESULT.receipt.json.

With --blind, the command also checks that the result has all rows and cells of the
blind file, in the same order. --blind is required if there is no receipt.

A receipt detects accidental changes only. It is not signed, so anyone who can
change the result can also change the receipt.`,
		Args: cli.PositionalArgs("RESULT"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.output.BindItem(cmd, f, cli.ResultType[verifyDocument]())
	opts.layout.Bind(cmd, preflight.PredictedRoles)
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "blind `FILE` that was predicted; if repeated, the files are joined into one table")
	cmd.Flags().StringVar(&opts.receipt, "receipt", "", "receipt `FILE` (default RESULT.receipt.json)")
	return cmd
}

func (o *predictionsVerifyOptions) run(ctx context.Context, result string) error {
	if len(o.blind) == 0 {
		if err := o.factory.CheckReadingFlags("--blind FILE"); err != nil {
			return err
		}
	}
	file, err := os.Open(result)
	if err != nil {
		return err
	}
	defer file.Close()
	v := verifyDocument{Path: result}
	rec, err := o.findReceipt(&v)
	if err != nil {
		return err
	}
	if len(o.blind) > 0 {
		if err := o.verifyAgainstBlind(ctx, &v, rec); err != nil {
			return err
		}
	}
	if rec != nil {
		if err := rec.Verify(ctx, file); err != nil {
			return download.MismatchError(ctx, v.Path, v.Receipt, rec, err)
		}
		v.Rows, v.SHA256, v.ModelKey, v.CreatedOn = rec.Result.Rows, rec.Result.SHA256, rec.Model.ModelKey, rec.CreatedOn
	}
	o.output.Note("verified: %s", humanize.Count(v.Rows, "row"))
	return cli.PrintItem(&o.output, v, "path", "rows", "receipt")
}

// findReceipt reads and returns the receipt of the result. If the receipt is missing, it returns
// nil if --blind is set and --receipt is not, and otherwise an error.
func (o *predictionsVerifyOptions) findReceipt(v *verifyDocument) (*receipt.Receipt, error) {
	path := cmp.Or(o.receipt, receipt.Path(v.Path))
	rec, err := download.ReadReceipt(path, "without a receipt, verify with `foretell predictions verify RESULT --blind BLIND`")
	switch {
	case err == nil:
		v.Receipt = path
		return rec, nil
	case receipt.IsMissing(err) && o.receipt != "":
		return nil, err
	case receipt.IsMissing(err) && len(o.blind) == 0:
		return nil, exit.Usagef("there is no receipt %s, so the blind file is required", path).
			WithHint("add --blind FILE, or the path of the receipt with --receipt FILE")
	case receipt.IsMissing(err):
		return nil, nil
	}
	return nil, err
}

// verifyAgainstBlind verifies the result row by row against the blind file. It reads the blind file
// with the flags of the command. Options without a flag are taken from the receipt or, without a
// receipt, inferred from the header of the result. If the result has selected columns only, it just
// compares the blind file with its digest in the receipt.
func (o *predictionsVerifyOptions) verifyAgainstBlind(ctx context.Context, v *verifyDocument, rec *receipt.Receipt) error {
	if rec != nil && rec.Result.Columns != nil {
		return o.checkBlindDigest(ctx, v, rec)
	}
	var classes []string
	if rec != nil {
		classes = rec.Classes
		o.layout.SetFromReceipt(rec.Options)
	}
	blind, err := o.layout.OpenInput(ctx, o.factory, true, o.blind...)
	if err != nil {
		return err
	}
	defer blind.Close()
	if rec == nil {
		p := &preflight.Preflight{Factory: o.factory, Train: blind}
		if err := p.InferFromResult(ctx, v.Path); err != nil {
			return err
		}
	}
	err = download.ResultVerifier(ctx, blind, classes, &v.Rows)(v.Path)
	if err == nil {
		return nil
	}
	if rec != nil && ctx.Err() == nil {
		if errBlind := download.CheckBlindDigest(ctx, blind, v.Receipt, rec); errBlind != nil {
			return errBlind // another file was predicted, so the result may be right
		}
	}
	e := exit.FromError(ctx, err)
	if e.Status == exit.Untrusted {
		e.File = v.Path
		e = e.WithHint("check that %s is the file that was predicted, and set --id, --label and --drop as for the prediction", blind.Name)
		if rec != nil {
			e = e.WithHint("%s", download.RecreateHint(rec, v.Path))
		}
	}
	return e
}

// checkBlindDigest compares the blind file with its digest in the receipt. It is used for a result
// with selected columns, because such a result may lack the cells to compare.
func (o *predictionsVerifyOptions) checkBlindDigest(ctx context.Context, v *verifyDocument, rec *receipt.Receipt) error {
	blind, err := o.layout.OpenInput(ctx, o.factory, true, o.blind...)
	if err != nil {
		return err
	}
	defer blind.Close()
	return download.CheckBlindDigest(ctx, blind, v.Receipt, rec)
}

// verifyDocument is the output of predictions verify.
type verifyDocument struct {
	Path      string `json:"path"`
	Rows      int    `json:"rows"`
	Receipt   string `json:"receipt,omitempty"`
	SHA256    string `json:"sha256,omitempty"`
	ModelKey  string `json:"modelKey,omitempty"`
	CreatedOn string `json:"createdOn,omitempty"`
}
