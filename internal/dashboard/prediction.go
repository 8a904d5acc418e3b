package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/htmlreport"
	"foretell/internal/report"
	"foretell/internal/table/repair"
	"foretell/internal/table/result"
	"foretell/internal/term"
)

func isPredicting(status string) bool {
	return status == api.PredictionPending || status == api.PredictionRunning
}

// predictionPage is the data of the page of a prediction.
type predictionPage struct {
	Prediction *api.Prediction
	Dataset    *api.Dataset
	// Model is the name and version of the model, such as train@v3.
	Model string
	// Rows is the number of rows predicted so far.
	Rows    int64
	Preview *preview
	// PreviewFailure says that the first rows cannot be read. It is empty if they can.
	PreviewFailure string
	// Drift compares the file that was predicted with the training file. It is nil if the two files
	// were not compared.
	Drift *htmlreport.Drift
	// IsBusy reports whether the prediction or Drift is being computed. HasFailed reports whether
	// the prediction has ended without a result.
	IsBusy, HasFailed bool
}

// IsPredicting reports whether the prediction has not ended. A prediction that has not ended
// cannot be deleted.
func (d predictionPage) IsPredicting() bool { return isPredicting(d.Prediction.Status) }

// preview holds the first rows of a result.
type preview struct {
	Header []previewCell
	Rows   [][]previewCell
}

// previewCell is a cell of a result or of its header. IsPrediction reports whether the cell is in
// the column of the predicted class, and IsProbability whether the cell is in a column of
// probabilities.
type previewCell struct {
	Text                        string
	IsPrediction, IsProbability bool
}

// The maximum numbers of rows and columns of a preview, and the number of bytes of the result that
// are read for it.
const (
	maxPreviewRows    = 20
	maxPreviewColumns = 40
	previewBytes      = 256 << 10
)

// driftWait is how long a page waits for the drift of a prediction. The service continues to
// compute it when the page no longer waits.
const driftWait = time.Second

func (p *Pages) showPrediction(v *visit) error { return p.writePrediction(v, nil) }

// writePrediction shows the page of a prediction. If problem is not nil, the page says why the prediction
// was not deleted.
func (p *Pages) writePrediction(v *visit, problem *api.Problem) error {
	ctx, key := v.r.Context(), v.r.PathValue("key")
	one, err := client.Call(ctx, v.client, api.GetPrediction, &api.PredictionInput{PredictionKey: key})
	if err != nil {
		return err
	}
	data := predictionPage{Prediction: one, IsBusy: isPredicting(one.Status), Rows: one.Rows}
	if data.Dataset, err = client.Call(ctx, v.client, api.GetDataset, &api.DatasetInput{DatasetKey: one.DatasetKey}); err != nil {
		return err
	}
	model, err := client.Call(ctx, v.client, api.GetModel, &api.ModelInput{ModelKey: one.ModelKey})
	if err != nil {
		return err
	}
	data.Model = report.ModelName(model, data.Dataset)
	data.HasFailed = !data.IsBusy && one.Status != api.PredictionCompleted
	if data.IsBusy {
		progress, err := client.Call(ctx, v.client, api.GetPredictionProgress, &api.PredictionInput{PredictionKey: key})
		if err != nil {
			return err
		}
		data.Rows = progress.Rows
	}
	if one.Status == api.PredictionCompleted {
		if data.Preview, err = p.previewResult(v, one); err != nil {
			p.opts.Log.WarnContext(ctx, "cannot read the first rows of a result", "requestId", requestID(v.r), "prediction", one.PredictionKey, "error", err)
			data.PreviewFailure = "The first rows of the result cannot be read, so the download may fail, too. The service's log has the cause under request " + requestID(v.r) + "."
		}
		limited, stop := context.WithTimeout(ctx, driftWait)
		drift, _ := fetchDrift(limited, v, key) // without a drift, the rest of the page is still useful
		// After driftWait, the page is shown without the drift, and requests it again.
		data.IsBusy = drift == nil && limited.Err() != nil
		stop()
		data.Drift = htmlreport.NewDrift(drift)
	}
	content := page{Title: "Prediction " + api.ShortKey(key), Section: "predictions", Path: "/predictions/" + key, Commands: data.commands(), Data: data}
	if problem != nil {
		content.Error = problem.Detail
	}
	return p.show(v, statusOf(problem), "prediction", content)
}

// commands returns the `foretell` commands that the page of a prediction shows: to get the
// prediction, and to download its result. A prediction that has failed has no result, so the
// second command then predicts another file.
func (d *predictionPage) commands() []string {
	key := api.ShortKey(d.Prediction.PredictionKey)
	commands := []string{"foretell predictions get " + key}
	if d.HasFailed {
		return append(commands, "foretell predict blind.csv --with "+term.ShellQuote(d.Model))
	}
	commands = append(commands, "foretell predictions download "+key)
	if d.Drift != nil {
		blind := cmp.Or(blindFileName(d.Prediction.Blind), "blind.csv")
		commands = append(commands, "foretell models report "+api.ShortKey(d.Prediction.ModelKey)+" --blind "+term.ShellQuote(blind)+" --html report.html")
	}
	return commands
}

// fetchDrift returns the drift of a completed prediction: how the predicted file differs from the
// training file. It returns nil if the service cannot compare the two files, or has not finished
// the comparison at the deadline of ctx.
func fetchDrift(ctx context.Context, v *visit, key string) (*api.DriftReport, error) {
	drift, err := client.Call(ctx, v.client, api.GetPredictionDrift, &api.PredictionInput{PredictionKey: key})
	if api.CodeFromError(err) == api.CodeWrongState {
		return nil, nil
	}
	if drift != nil {
		drift.File = originalName(drift.File)
	}
	return drift, err
}

// downloadPredictionReport responds with one HTML file. The file contains the report of the model
// that made the prediction, and shows how the predicted file differs from the training file.
func (p *Pages) downloadPredictionReport(v *visit) error {
	ctx := v.r.Context()
	one, err := client.Call(ctx, v.client, api.GetPrediction, &api.PredictionInput{PredictionKey: v.r.PathValue("key")})
	if err != nil {
		return err
	}
	source, err := report.Load(ctx, v.client, one.ModelKey)
	if err != nil {
		return err
	}
	if source.Drift, err = fetchDrift(ctx, v, one.PredictionKey); err != nil {
		return err
	}
	return p.writeReport(v, source, "-"+api.ShortKey(one.PredictionKey))
}

// previewResult returns the first rows of a result. If the result has none, it returns nil.
func (p *Pages) previewResult(v *visit, one *api.Prediction) (*preview, error) {
	head, err := p.opts.ReadResultHead(v.r.Context(), one.PredictionKey, previewBytes)
	if err != nil {
		return nil, err
	}
	return parsePreview(csv.NewReader(bytes.NewReader(head)), len(head) < previewBytes), nil
}

// parsePreview parses the beginning of a result. If isComplete is false, the result continues after
// the bytes of r, and the last record may be incomplete.
func parsePreview(r *csv.Reader, isComplete bool) *preview {
	r.FieldsPerRecord = -1
	r.LazyQuotes = true
	header, err := r.Read()
	if err != nil {
		return nil
	}
	out := &preview{}
	predicted := result.PredictionColumn(header)
	columns := previewColumnOrder(len(header), predicted)
	isProbability := make([]bool, len(header))
	if predicted >= 0 && predicted+1 < len(header) {
		isProbability[predicted+1] = true
		for _, column := range result.ClassColumns(header, predicted, nil) {
			isProbability[column.Index] = true
		}
	}
	cell := func(c int, text string) previewCell {
		return previewCell{Text: text, IsPrediction: c == predicted, IsProbability: isProbability[c]}
	}
	for _, c := range columns {
		out.Header = append(out.Header, cell(c, header[c]))
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) && !isComplete && len(out.Rows) > 0 {
			out.Rows = out.Rows[:len(out.Rows)-1]
		}
		if err != nil || len(record) != len(header) || len(out.Rows) == maxPreviewRows {
			break
		}
		row := make([]previewCell, 0, len(columns))
		for _, c := range columns {
			row = append(row, cell(c, record[c]))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// previewColumnOrder returns the indices of the columns of a preview: the row IDs, then the
// prediction with its probabilities and reasons, then the columns of the predicted file. columns
// is the number of columns. predicted is the index of the column with the prediction, or -1
// without such a column.
func previewColumnOrder(columns, predicted int) []int {
	predicted = max(1, predicted)
	order := []int{0}
	for c := predicted; c < columns; c++ {
		order = append(order, c)
	}
	for c := 1; c < predicted; c++ {
		order = append(order, c)
	}
	return order[:min(len(order), maxPreviewColumns)]
}

// createPrediction handles the form with the file to predict: it starts a prediction.
func (p *Pages) createPrediction(v *visit) error {
	form, err := readFileForm(v.r, maxFormBytes)
	if err != nil {
		return err
	}
	if form.file == nil || form.fileName == "" {
		err = api.NewFieldProblem("file", "choose a file")
	} else if err = p.predictFile(v, form); err == nil {
		return v.redirect(v.created.Path)
	}
	return p.writeModel(v, form.values["reasons"], p.formProblem(v, err))
}

// predictFile starts a prediction of the file of the form. If the file has no column of row IDs, its
// rows are numbered.
func (p *Pages) predictFile(v *visit, form *fileForm) error {
	ctx := v.r.Context()
	in := &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: v.r.PathValue("key")}}
	in.Reasons, _ = strconv.ParseInt(form.values["reasons"], 10, 64) // 0 reasons if it is not a number
	model, err := client.Call(ctx, v.client, api.GetModel, &in.ModelInput)
	if err != nil {
		return err
	}
	dataset, err := client.Call(ctx, v.client, api.GetDataset, &api.DatasetInput{DatasetKey: model.DatasetKey})
	if err != nil {
		return err
	}
	file, err := form.convertFile(ctx, func(name string) bool { return name == dataset.IDName }, func(s *fileSample) (repair.Layout, error) { return s.blindLayout(dataset), nil })
	if err != nil {
		return err
	}
	created, err := v.client.CreatePrediction(ctx, in, file.Source, nil)
	if err != nil {
		return file.uploadError(err)
	}
	v.created = createdObject{Noun: "prediction", Path: "/predictions/" + created.PredictionKey}
	return nil
}

// downloadResult responds with a result. If the result is in an S3 store, downloadResult redirects
// the browser to its signed URL.
func (p *Pages) downloadResult(v *visit) error {
	one, err := client.Call(v.r.Context(), v.client, api.GetPrediction, &api.PredictionInput{PredictionKey: v.r.PathValue("key")})
	if err != nil {
		return err
	}
	if one.PredictionResultURL == "" {
		return api.NewProblem(api.CodeWrongState, "the prediction is %s and has no result", one.Status)
	}
	if path, isOwn := strings.CutPrefix(one.PredictionResultURL, v.client.BaseURL()+"/"); isOwn {
		return p.forwardToAPI(v, "/"+path)
	}
	return v.redirect(one.PredictionResultURL)
}

func (p *Pages) deletePrediction(v *visit) error {
	_, err := client.Call(v.r.Context(), v.client, api.DeletePrediction, &api.PredictionInput{PredictionKey: v.r.PathValue("key")})
	if api.CodeFromError(err) == api.CodeWrongState { // the page may be older than the state
		return p.writePrediction(v, p.formProblem(v, err))
	}
	if err != nil {
		return err
	}
	return v.redirect("/predictions")
}
