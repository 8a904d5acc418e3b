package dashboard

import (
	"bufio"
	"bytes"
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

// downloadReceipt responds with the receipt of a prediction: a file that lists the digests of the
// training file, the predicted file and the result. The first two are listed only if the service
// knows their names.
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
	err = p.verifying.Do(ctx, v.account.AccountKey, func() (err error) {
		r.Result.Digest, r.Result.Blocks, err = receipt.DigestResult(ctx, result)
		return err
	})
	if err != nil {
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
	// Verdict is the outcome of the verification with the receipt.
	Verdict string
	serviceComparison
}

// serviceComparison is the outcome of comparing a receipt with the stored prediction.
type serviceComparison struct {
	// ServiceVerdict is the outcome as text.
	ServiceVerdict string
	// Stored is the stored prediction, and Algorithm the algorithm of its model. If the service has
	// no prediction with the same result, Stored is nil.
	Stored    *api.Prediction
	Algorithm string
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
		Commands: []string{term.Command("predictions verify", "", name)},
	})
}

// The limits, in bytes, of the form to verify a result. A result is larger than the predicted file,
// because it has the columns of this file and further columns.
const (
	maxReceiptBytes = 4 << 20
	maxResultBytes  = 2 * api.MaxUploadBytes
)

// verifyResult verifies that a result matches its receipt, as `foretell predictions verify` does.
// It also compares the receipt with the stored prediction.
func (p *Pages) verifyResult(v *visit) error {
	form, err := readFileForm(v.r, maxReceiptBytes)
	if api.CodeFromError(err) == api.CodeTooLarge {
		return p.writeVerify(v, http.StatusOK, verifyPage{}, "the file in the field Receipt is larger than a receipt: "+receiptHint)
	}
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
	if errors.Is(err, receipt.ErrNoReceipt) {
		return noReceiptProblem(form.file)
	}
	if err != nil {
		return api.NewProblem(api.CodeInvalid, "the receipt cannot be used: %v", err)
	}
	return p.verifying.Do(ctx, v.account.AccountKey, func() error {
		p.opts.LimitUploadTime(v.w, v.r) // a slow upload would keep other visitors waiting
		return p.verifyFile(v, r, form, data)
	})
}

// receiptHint is the end of a message to people who have chosen another file than a receipt.
const receiptHint = "choose the file whose name ends with .receipt.json"

// noReceiptProblem returns the problem of a form in which the file in the field Receipt is not a
// receipt. result is the file in the field Result. If result looks like a receipt, the message
// suggests exchanging the two files.
func noReceiptProblem(result io.Reader) error {
	beginning, _ := bufio.NewReaderSize(result, 64).Peek(64) // fewer bytes of a short file
	if bytes.HasPrefix(bytes.TrimSpace(beginning), []byte("{")) {
		return api.NewProblem(api.CodeInvalid, "the file in the field Receipt is not a receipt, but the file in the field Result may be a receipt: exchange the two files")
	}
	return api.NewProblem(api.CodeInvalid, "the file in the field Receipt is not a receipt: %s", receiptHint)
}

// verifyFile verifies the file of a form with its receipt r, and stores the outcome in data. It
// returns a problem if the file does not match the receipt.
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
	compared, err := p.compareWithService(v, r)
	if err == nil {
		data.serviceComparison = *compared
	}
	return err
}

// storeUpload copies an uploaded result to a temporary file. It returns a problem if the result
// has more than maxResultBytes or the disk is full.
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

// compareWithService compares a receipt with the stored prediction: the digest of the result, and
// the statements about the model. Someone may change a result and its receipt together. Only this
// comparison reveals such a change.
func (p *Pages) compareWithService(v *visit, r *receipt.Receipt) (*serviceComparison, error) {
	ctx := v.r.Context()
	only := func(format string, args ...any) (*serviceComparison, error) {
		return &serviceComparison{ServiceVerdict: fmt.Sprintf(format, args...)}, nil
	}
	if r.PredictionKey == "" {
		return only("It was predicted with a model file, without a service.")
	}
	one, err := client.Call(ctx, v.client, api.GetPrediction, &api.PredictionInput{PredictionKey: r.PredictionKey})
	switch code := api.CodeFromError(err); {
	case code == api.CodeNotFound || code == api.CodeMalformed:
		return only("Your account at this service has no prediction %s, so the result was compared with its receipt only.", r.PredictionKey)
	case err != nil:
		return nil, err
	case r.Result.Columns != nil:
		return only("The service has the prediction. The result contains only selected columns, so it cannot be compared with the prediction.")
	}
	stored, err := p.opts.OpenResult(ctx, one.PredictionKey)
	if err != nil {
		if api.CodeFromError(err) == api.CodeWrongState {
			return only("The prediction at the service has no result.")
		}
		return nil, err
	}
	defer func() { _ = stored.Close() }() // the file was only read
	var changed *receipt.LineDifference
	switch err := r.CheckDigest(ctx, stored); {
	case errors.As(err, &changed):
		return nil, api.NewProblem(api.CodeInvalid, "the receipt describes this result, but the service has a different result for this prediction: both the result and the receipt were changed")
	case err != nil:
		return nil, err
	}
	return compareModelWithService(v, r, one)
}

// compareModelWithService compares what a receipt says about the model with what the service knows.
// one is the prediction to whose result the receipt belongs.
func compareModelWithService(v *visit, r *receipt.Receipt, one *api.Prediction) (*serviceComparison, error) {
	known := receipt.New(one)
	known.DescribeModel(v.r.Context(), v.client)
	compared, differing := r.CompareModel(known)
	if len(differing) > 0 {
		return nil, api.NewProblem(api.CodeInvalid, "the service has the same result, but not the same %s as the receipt: the receipt was changed", humanize.JoinAnd(differing))
	}
	verdict := "The service has the same result."
	if len(compared) > 0 {
		verdict = "The service has the same result, and the same " + humanize.JoinAnd(compared) + " for it."
	}
	return &serviceComparison{ServiceVerdict: verdict, Stored: one, Algorithm: known.Model.Algorithm}, nil
}
