package cmd

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"foretell/internal/frame"
	"foretell/internal/receipt"
)

type predictionsVerifyOptions struct {
	output output
	shaper shaper
	host   *host

	blind   []string
	receipt string
}

func newPredictionsVerifyCmd(h *host) *cobra.Command {
	opts := &predictionsVerifyOptions{host: h}
	cmd := &cobra.Command{
		Use: "verify RESULT", Short: "Prove a result CSV by its receipt and its blind file, without network",
		Long: `Checks by the receipt that no byte of the result has changed, that each row has a
known class, and that its probabilities sum to 1. The receipt defaults to
RESULT.receipt.json.

--blind also checks that the result has all rows and cells of the blind file, in
the same order. It is required if there is no receipt.

A receipt detects accidents. It is not signed: whoever can change the result can
change the receipt, too.`,
		Args: takes("RESULT"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.output.bindItem(cmd, h, prints[verified]())
	opts.shaper.bind(cmd)
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "blind `FILE` that was predicted; several make one table")
	cmd.Flags().StringVar(&opts.receipt, "receipt", "", "`FILE` that is the receipt (default RESULT.receipt.json)")
	return cmd
}

func (o *predictionsVerifyOptions) run(ctx context.Context, result string) error {
	if _, err := os.Stat(result); err != nil {
		return err
	}
	v := verified{Path: result}
	paper, err := o.read(&v)
	if err != nil {
		return err
	}
	if len(o.blind) > 0 {
		if err := o.compare(ctx, &v, paper); err != nil {
			return err
		}
	}
	if paper != nil {
		if err := paper.Prove(ctx, result); err != nil {
			return changed(ctx, &v, paper, err)
		}
		v.Rows, v.SHA256, v.ModelKey, v.CreatedOn = paper.Result.Rows, paper.Result.SHA256, paper.Model.ModelKey, paper.CreatedOn
	}
	o.output.note("verified: %s", plural(v.Rows, "row"))
	return item(&o.output, v, "path", "rows", "receipt")
}

// read reads the receipt, if there is one.
func (o *predictionsVerifyOptions) read(v *verified) (*receipt.Receipt, error) {
	path := cmp.Or(o.receipt, receipt.Path(v.Path))
	paper, err := readReceipt(path, "without its receipt a result is proved by `foretell predictions verify RESULT --blind BLIND`")
	switch {
	case err == nil:
		v.Receipt = path
		return paper, nil
	case receipt.Missing(err) && o.receipt != "":
		return nil, err
	case receipt.Missing(err) && len(o.blind) == 0:
		return nil, usage("there is no receipt %s, so verify needs the file that was predicted", path).
			advise("name it with --blind, or the receipt with --receipt")
	case receipt.Missing(err):
		return nil, nil
	}
	return nil, err
}

// compare proves the result row by row against the blind file, read as the
// receipt says it was unless the flags say so.
func (o *predictionsVerifyOptions) compare(ctx context.Context, v *verified, paper *receipt.Receipt) error {
	if paper != nil && paper.Result.Columns != nil {
		return o.sameBlind(ctx, v, paper)
	}
	var classes []string
	if paper != nil {
		classes = paper.Classes
		if !o.shaper.given() {
			o.shaper.recall(paper.Options)
		}
	}
	blind, err := o.shaper.input(ctx, o.host, true, o.blind...)
	if err != nil {
		return err
	}
	defer blind.Close()
	err = blind.proof(ctx, classes, &v.Rows)(v.Path)
	if err == nil {
		return nil
	}
	f := explain(ctx, err)
	if f.exit == ExitUntrusted {
		f.file = v.Path
		f = f.advise("download it again with `foretell predictions download REF %s`", blind.arguments("--blind"))
		if paper != nil {
			f = f.advise("%s", remake(paper, v.Path))
		}
	}
	return f
}

// sameBlind checks that the blind file is the one that the receipt names: a result
// of chosen columns cannot be compared with it cell by cell.
func (o *predictionsVerifyOptions) sameBlind(ctx context.Context, v *verified, paper *receipt.Receipt) error {
	blind, err := o.shaper.input(ctx, o.host, true, o.blind...)
	if err != nil {
		return err
	}
	defer blind.Close()
	seen, err := blind.witness(ctx, 0)
	if err != nil || paper.Blind == nil || seen.Sum == paper.Blind.Sum {
		return err
	}
	return fail(ExitUntrusted, "%s is not the blind file that %s is for", blind.name, v.Receipt).
		advise("name the file that was predicted, %s, as it was then", quote(paper.Blind.Name))
}

// changed explains how a result is not the one that its receipt is for.
func changed(ctx context.Context, v *verified, paper *receipt.Receipt, err error) error {
	if ctx.Err() != nil {
		return err
	}
	f := fail(ExitUntrusted, "%s is not the result that %s is for: %w", v.Path, v.Receipt, err)
	f.code, f.file = "changed", v.Path
	var (
		place  *receipt.Difference
		defect *frame.Defect
	)
	switch {
	case errors.As(err, &defect):
		f.line, f.column = defect.Line, defect.Column
	case errors.As(err, &place):
		f.line = place.From
	}
	return f.advise("%s", remake(paper, v.Path))
}

// remake says how the result at path is written again as its receipt describes it.
func remake(paper *receipt.Receipt, path string) string {
	rest := " -o " + quote(path) + " --force"
	if paper.Result.Picked != "" {
		rest = " --columns " + quote(paper.Result.Picked) + rest
	}
	if paper.Model.File == nil || paper.Blind == nil {
		return "download it again with `foretell predictions download " + paper.PredictionKey + rest + "`"
	}
	command := "foretell predict"
	for _, name := range paper.Blind.FileNames() {
		command += " " + quote(name)
	}
	return "predict again with `" + command + " --model " + quote(paper.Model.File.Name) + rest + "`"
}

// verified is what verify prints.
type verified struct {
	Path      string `json:"path"`
	Rows      int    `json:"rows"`
	Receipt   string `json:"receipt,omitempty"`
	SHA256    string `json:"sha256,omitempty"`
	ModelKey  string `json:"modelKey,omitempty"`
	CreatedOn string `json:"createdOn,omitempty"`
}
