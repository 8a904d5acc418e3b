package dashboard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/humanize"
	"foretell/internal/receipt"
	"foretell/internal/spill"
	"foretell/internal/term"
)

// downloadReceipt responds with the receipt of a prediction. The receipt lists the training file
// and the blind file as they were uploaded, if the service knows their names.
func (p *Pages) downloadReceipt(v *visit) error {
	ctx := v.r.Context()
	one, err := client.Call(ctx, v.client, api.GetPrediction, &api.PredictionInput{PredictionKey: v.r.PathValue("key")})
	if err != nil {
		return err
	}
	d, err := client.Call(ctx, v.client, api.GetDataset, &api.DatasetInput{DatasetKey: one.DatasetKey})
	if err != nil {
		return err
	}
	result, err := p.opts.OpenResult(ctx, one.PredictionKey)
	if err != nil {
		return err
	}
	defer func() { _ = result.Close() }() // the file was only read
	r := receipt.New(one)
	for _, class := range d.Classes {
		r.Classes = append(r.Classes, class.Label)
	}
	if d.FileName != "" && d.SHA256 != "" {
		r.Training = &receipt.Input{Name: d.FileName, Digest: receipt.Digest{Bytes: d.Bytes, SHA256: d.SHA256}, Rows: int(d.Rows)}
	}
	if blind := one.Blind; blind != nil && blind.FileName != "" {
		r.Blind = &receipt.Input{Name: blind.FileName, Digest: receipt.Digest{Bytes: blind.Bytes, SHA256: blind.SHA256}, Rows: int(one.Rows)}
	}
	r.Service = receipt.Service{Address: p.opts.BaseURL(v.r), Version: p.opts.Version}
	r.DescribeModel(ctx, v.client)
	r.CreatedOn = api.FormatTime(p.opts.Now())
	r.Result = receipt.Result{Name: "prediction-" + one.PredictionKey + ".csv", Rows: int(one.Rows), Reasons: int(one.Reasons)}
	if r.Result.Digest, r.Result.Blocks, err = receipt.DigestResult(ctx, result); err != nil {
		return err
	}
	text, err := r.Encode()
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	v.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": r.Result.Name + ".receipt.json"}))
	_, _ = v.w.Write(text) // fails if the browser has closed the connection
	return nil
}

// verifyPage is the data of the page that verifies a result.
type verifyPage struct {
	// Receipt is the receipt of a verified result. It is nil if nothing was verified.
	Receipt *receipt.Receipt
	// Name is the file name of the result.
	Name string
	// Verdict is the outcome of the verification with the receipt. ServiceVerdict is the outcome of
	// the comparison with the result that the service has, and MatchesService reports whether the
	// two results are equal.
	Verdict, ServiceVerdict string
	MatchesService          bool
}

func (p *Pages) showVerify(v *visit) error {
	return p.writeVerify(v, http.StatusOK, verifyPage{}, "")
}

func (p *Pages) writeVerify(v *visit, status int, data verifyPage, message string) error {
	name := "result.csv"
	if data.Name != "" {
		name = data.Name
	}
	return p.show(v, status, "verify", page{
		Title: "Verify a result", Section: "predictions", Error: message, Data: data,
		Commands: []string{"foretell predictions verify " + term.ShellQuote(name)},
	})
}

// The limits, in bytes, of the form to verify a result. A result is larger than a blind file,
// because it has the columns of the blind file and further columns.
const (
	maxReceiptBytes = 4 << 20
	maxResultBytes  = 2 * api.MaxUploadBytes
)

// verifyResult verifies a result with its receipt, as `foretell predictions verify` does, and
// compares the receipt with the result that the service has.
func (p *Pages) verifyResult(v *visit) error {
	form, err := readFileForm(v.r, maxReceiptBytes)
	if err != nil {
		return err
	}
	data := verifyPage{Name: form.fileName}
	if err := p.verifyUpload(v, form, &data); err != nil {
		problem, status := p.formProblem(v, err), http.StatusOK
		if problem.Code != api.CodeInvalid { // the page shows an invalid form as its verdict
			status = problem.Status
		}
		return p.writeVerify(v, status, verifyPage{Name: form.fileName}, problem.Detail)
	}
	return p.writeVerify(v, http.StatusOK, data, "")
}

func (p *Pages) verifyUpload(v *visit, form *fileForm, data *verifyPage) error {
	ctx := v.r.Context()
	if form.values["receipt"] == "" || form.file == nil || form.fileName == "" {
		return api.NewProblem(api.CodeInvalid, "choose a receipt and a result")
	}
	r, err := receipt.Parse([]byte(form.values["receipt"]))
	if err != nil {
		return api.NewProblem(api.CodeInvalid, "the receipt cannot be used: %v", err)
	}
	return p.verifying.Do(ctx, v.account.AccountKey, func() error {
		p.opts.LimitUploadTime(v.w, v.r) // because others may wait
		return p.verifyFile(v, r, form, data)
	})
}

// verifyFile verifies the file of a form with its receipt.
func (p *Pages) verifyFile(v *visit, r *receipt.Receipt, form *fileForm, data *verifyPage) error {
	ctx := v.r.Context()
	file, err := spill.CreateTemp(p.opts.TempDir)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // an error loses nothing: the file is temporary
	if err := p.storeUpload(file, form.file); err != nil {
		return err
	}
	if err := r.Verify(ctx, file); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return api.NewProblem(api.CodeInvalid, "%s does not match the receipt: %v", form.fileName, err)
	}
	data.Receipt, data.Verdict = r, "Verified: "+humanize.Count(r.Result.Rows, "row")
	data.ServiceVerdict, data.MatchesService, err = p.compareWithService(v, r)
	return err
}

// storeUpload copies an uploaded result to a temporary file.
func (p *Pages) storeUpload(file io.Writer, upload io.Reader) error {
	const step = 4 << 20 // less than the space that the disk must have left
	for size := int64(0); size <= maxResultBytes; {
		if p.opts.IsDiskFull() {
			return verifyStorageProblem(nil)
		}
		n, err := io.CopyN(file, upload, step)
		size += n
		var written *fs.PathError
		switch {
		case errors.Is(err, io.EOF) && size <= maxResultBytes:
			return nil
		case errors.As(err, &written):
			return verifyStorageProblem(err)
		case err != nil && !errors.Is(err, io.EOF):
			return api.NewProblem(api.CodeMalformed, "the upload was interrupted: send the form again").WithCause(err)
		}
	}
	return api.NewProblem(api.CodeTooLarge, "the result has more than %s: verify it with `foretell predictions verify`", term.FormatBytes(maxResultBytes))
}

func verifyStorageProblem(cause error) error {
	return api.NewProblem(api.CodeStorageFull, "the service cannot store the file to verify it: use `foretell predictions verify`").WithCause(cause)
}

// compareWithService compares the digest in a receipt with the digest of the result that the
// service has. It returns a message for the visitor, and whether the digests are equal. A receipt
// reveals only accidental changes, because it can be changed together with the result. This
// comparison also reveals deliberate changes.
func (p *Pages) compareWithService(v *visit, r *receipt.Receipt) (verdict string, same bool, err error) {
	ctx := v.r.Context()
	if r.PredictionKey == "" {
		return "It was predicted with a model file, without a service.", false, nil
	}
	one, err := client.Call(ctx, v.client, api.GetPrediction, &api.PredictionInput{PredictionKey: r.PredictionKey})
	switch code := api.CodeFromError(err); {
	case code == api.CodeNotFound || code == api.CodeMalformed:
		return fmt.Sprintf("Your account at this service has no prediction %s, so the result was compared with its receipt only.", r.PredictionKey), false, nil
	case err != nil:
		return "", false, err
	case r.Result.Columns != nil:
		return "The service has the prediction. The result has selected columns only, so the two cannot be compared.", false, nil
	}
	stored, err := p.opts.OpenResult(ctx, one.PredictionKey)
	if err != nil {
		var problem *api.Problem
		if errors.As(err, &problem) && problem.Code == api.CodeWrongState {
			return "The prediction at the service has no result.", false, nil
		}
		return "", false, err
	}
	defer func() { _ = stored.Close() }() // the file was only read
	var changed *receipt.LineDifference
	switch err := r.CheckDigest(ctx, stored); {
	case errors.As(err, &changed):
		return "", false, api.NewProblem(api.CodeInvalid, "the receipt describes this result, but the service has a different result for this prediction: both the result and the receipt were changed")
	case err != nil:
		return "", false, err
	}
	return "The service has the same result.", true, nil
}
