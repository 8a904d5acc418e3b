// Package htmlreport shows a model's report as HTML: as a part of a page, and as one file
// that can be read and printed without the service.
package htmlreport

import (
	"cmp"
	"context"
	"embed"
	"html/template"
	"io"
	"strconv"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/design"
	"foretell/internal/leaderboard"
	"foretell/internal/report"
	"foretell/internal/term"
)

//go:embed *.html
var files embed.FS

// AddTemplates adds the template "report-body", whose data is a *Document, to t and returns
// t.
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
	// Verdict says in sentences how good the model is, Cautions what could be wrong, and Win
	// why the model was kept.
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
	// Commands repeat the race and predict with the model.
	Commands []string
}

// Load reads a model, its dataset, its race and its report, and prepares them.
func Load(ctx context.Context, c *client.Client, key string) (*Document, error) {
	m, err := client.Call(ctx, c, api.GetModel, &api.ModelInput{ModelKey: key})
	if err != nil {
		return nil, err
	}
	dataset, err := client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: m.DatasetKey})
	if err != nil {
		return nil, err
	}
	d := &Document{
		Model: m, Dataset: dataset,
		Name: cmp.Or(m.Series, dataset.DatasetName) + "@v" + strconv.Itoa(cmp.Or(m.SeriesVersion, m.Version)),
	}
	race, err := client.Call(ctx, c, api.GetTraining, &api.TrainingInput{TrainingJobKey: m.TrainingJobKey})
	if err != nil {
		return nil, err
	}
	report, err := c.ModelReport(ctx, key)
	if err != nil || report == nil {
		return d, err
	}
	d.Commands = []string{
		strings.TrimSpace("foretell training create " + term.ShellQuote(dataset.DatasetName) + " " + leaderboard.RaceOptions(race, report)),
		"foretell predict blind.csv --with " + term.ShellQuote(d.Name),
	}
	d.prepare(report)
	return d, nil
}

// prepare fills in what the templates show of a report.
func (d *Document) prepare(r *api.ModelReport) {
	d.Report, d.Win, d.Verdict, d.Cautions = r, report.ExplainWin(r), verdict(r), cautions(r)
	d.Metrics, d.Confusion, d.Curves = metricRows(r), newConfusion(r), newCurves(r)
	d.Importances, d.OmittedColumns = importanceRows(r)
	d.Dependence, d.Race, d.Columns = dependences(r), racePlot(r), columnRows(d.Dataset)
}

// Write writes a document, which must have a report, as one file that needs no other. now is the clock for the ages of
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
