// Package htmlreport shows a model's report as HTML: as a part of a page, and as one file
// that can be read and printed without the service.
package htmlreport

import (
	"embed"
	"html/template"
	"io"
	"time"

	"foretell/internal/api"
	"foretell/internal/design"
	"foretell/internal/report"
)

//go:embed *.html
var files embed.FS

// AddTemplates adds the template "report-body", whose data is a *Document, to t and returns
// t.
func AddTemplates(t *template.Template) *template.Template {
	return template.Must(t.ParseFS(files, "*.html"))
}

// Source is what a document is made from.
type Source struct {
	Report *api.ModelReport
	// Model is the reference of the model, such as train@v3.
	Model string
	// Dataset is the dataset that the model was trained on; may be nil.
	Dataset *api.Dataset
	// Training is the race that made the model; may be nil.
	Training *api.Training
	// Commands repeat the race and predict with the model.
	Commands []string
}

// Document is a report prepared for its template.
type Document struct {
	Source
	// Verdict says in sentences how good the model is, Cautions what could be wrong.
	Verdict, Cautions []string
	Win               string
	Metrics           []metricRow
	Confusion         *confusion
	Curves            *curves
	Importances       []importanceRow
	OmittedColumns    int
	Dependence        []dependence
	Race              *design.Plot
	Columns           []columnRow
}

// New prepares a report.
func New(s Source) *Document {
	d := &Document{Source: s, Win: report.ExplainWin(s.Report), Verdict: verdict(s.Report), Cautions: cautions(s.Report)}
	d.Metrics = metricRows(s.Report)
	d.Confusion = newConfusion(s.Report)
	d.Curves = newCurves(s.Report)
	d.Importances, d.OmittedColumns = importanceRows(s.Report)
	d.Dependence = dependences(s.Report)
	d.Race = racePlot(s.Report)
	d.Columns = columnRows(s.Dataset)
	return d
}

// Write writes a document as one file that needs no other. now is the clock for the ages of
// things.
func Write(w io.Writer, d *Document, now func() time.Time) error {
	t := AddTemplates(design.Templates(now))
	return t.ExecuteTemplate(w, "report-file", struct {
		*Document
		Style   template.CSS
		Written string
	}{d, design.InlineStylesheet(), api.FormatTime(now())})
}

// RacePlot returns the curves of the algorithms of a race against its threshold. scores has
// the validation scores of each algorithm, oldest first.
func RacePlot(metric string, threshold *float64, names []string, scores [][]float64) *design.Plot {
	axes := design.Axes{Title: "The race", X: "scores so far", Y: metric, Level: threshold, LevelName: "threshold", MinX: 1, MaxX: 1}
	var lines []design.Curve
	for i, values := range scores {
		line := design.Curve{Name: names[i], Style: i%4 + 1}
		for step, value := range values {
			line.Points = append(line.Points, design.Point{X: float64(step + 1), Y: value})
		}
		line.Points = design.Thin(line.Points, 240)
		if len(values) > 0 {
			line.Note = design.FormatScore(values[len(values)-1])
			axes.MaxX = max(axes.MaxX, float64(len(values)))
		}
		lines = append(lines, line)
	}
	if axes.MaxX == 1 {
		axes.MaxX = 5
	}
	return design.NewPlot(axes, lines)
}

func racePlot(r *api.ModelReport) *design.Plot {
	var names []string
	var scores [][]float64
	for _, a := range r.Algorithms {
		if len(a.Curve) > 0 {
			names, scores = append(names, api.AlgorithmTitle(a.Algorithm)), append(scores, a.Curve)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return RacePlot(r.Metric, r.TargetPerformance, names, scores)
}
