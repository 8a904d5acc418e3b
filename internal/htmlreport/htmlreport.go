// Package htmlreport writes a model's report as HTML: as a part of a page of the dashboard, and as
// a file of its own that can be read and printed without the service.
package htmlreport

import (
	"context"
	"embed"
	"html/template"
	"io"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/design"
	"foretell/internal/report"
)

// files holds the templates of reports.
//
//go:embed *.html
var files embed.FS

// AddTemplates adds the templates of reports to t and returns t. The data of the template
// "report-body" is a *Document.
func AddTemplates(t *template.Template) *template.Template {
	return template.Must(t.ParseFS(files, "*.html"))
}

// Document is a model with its report, prepared for the templates.
type Document struct {
	// Name is the reference of the model, such as train@v3.
	Name    string
	Model   *api.Model
	Dataset *api.Dataset
	// Report is nil if the service has no reports. Then the fields below are empty.
	Report *api.ModelReport
	// Verdict has sentences on how good the model is. Cautions has sentences on what could
	// be wrong with it. WinReason says why the model was kept.
	Verdict, Cautions []string
	WinReason         string
	// Monotone is a sentence about monotone columns. It is empty if the model has no such columns.
	Monotone       string
	Metrics        []metricRow
	Confusion      *confusionTable
	Curves         *curvePlots
	Importances    []importanceRow
	OmittedColumns int
	Dependence     []partialDependence
	// DependenceNote says which classes Dependence shows. It is empty if it shows all.
	DependenceNote string
	Interactions   []interaction
	// Race holds the curves of the algorithms by step, and RaceTime the curves by time.
	// Both are nil if the scores are unknown. RaceTime is also nil if the times of the
	// scores are unknown.
	Race, RaceTime *design.Plot
	Columns        []columnRow
	// Drift is nil if there is no file to compare with the training file.
	Drift *Drift
	// Steps are the commands that repeat the race and predict with the model.
	Steps []report.Step
}

// Load reads a model, its dataset, its race and its report, and prepares them for the templates.
func Load(ctx context.Context, c *client.Client, key string) (*Document, error) {
	d, err := report.Load(ctx, c, key)
	if err != nil {
		return nil, err
	}
	return New(d), nil
}

// New prepares a report for the templates.
func New(source *report.Document) *Document {
	d := &Document{Name: source.Name, Model: source.Model, Dataset: source.Dataset}
	r := source.Report
	if r == nil {
		return d
	}
	d.Report, d.WinReason, d.Verdict, d.Cautions = r, report.ExplainWin(r), report.Verdict(r), source.Cautions()
	d.Monotone = report.ExplainMonotone(r)
	rows := classRows(report.CountClassRows(d.Dataset, r))
	d.Metrics, d.Confusion, d.Curves = metricRows(d.Dataset, r), newConfusionTable(r), newCurvePlots(r, rows)
	d.Importances, d.OmittedColumns = importanceRows(r)
	d.Dependence, d.Interactions, d.Columns = newPartialDependences(r, rows), newInteractions(r), columnRows(d.Dataset)
	if len(r.CurveClasses) > 2 {
		d.DependenceNote = shownClassesNote(r, min(len(r.CurveClasses), maxShownClasses))
	}
	d.Race, d.RaceTime = racePlots(r)
	d.Drift, d.Steps = NewDrift(source.Drift), source.Steps()
	return d
}

// Write writes a document as one HTML file that contains its stylesheet and needs no other file.
// d.Report must not be nil. It calls now for the current time in texts such as "3 days ago".
func Write(w io.Writer, d *Document, now func() time.Time) error {
	t := AddTemplates(design.Templates(now))
	return t.ExecuteTemplate(w, "report-file", struct {
		*Document
		Style              template.CSS
		Written, WrittenOn string
	}{d, design.InlineStylesheet(), api.FormatTime(now()), now().UTC().Format("2 January 2006, 15:04 UTC")})
}
