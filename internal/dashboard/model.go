package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/design"
	"foretell/internal/htmlreport"
	"foretell/internal/humanize"
	"foretell/internal/leaderboard"
	"foretell/internal/report"
	"foretell/internal/term"
)

// seriesPerPage is the maximum number of series, each with its models, on one page of the list of
// models.
const seriesPerPage = 20

// modelsPage is the data of the list of series with models.
type modelsPage struct {
	Series []seriesView
	Pager  pager
}

// seriesView is a series with its champion: the model that predicts if a command names only the
// series.
type seriesView struct {
	Name string
	// Models is the number of models of the series. If IsPartial is true, only the newest datasets
	// of the series were read: Models counts only their models, and Champion is nil if the champion
	// belongs to an older dataset.
	Models    int64
	IsPartial bool
	Champion  *api.ModelEntry
	Newest    *api.ModelEntry
}

// maxSeriesDatasets is the maximum number of datasets of a series that the list of models reads.
const maxSeriesDatasets = 5

func (p *Pages) listModels(v *visit) error {
	ctx := v.r.Context()
	all, err := p.listSeriesWithModels(v)
	if err != nil {
		return err
	}
	page := page{Title: "Models", Section: "models", Commands: []string{"foretell leaderboard", "foretell models list"}}
	paging := api.Page{Offset: pageInput(v.r).Offset, Limit: seriesPerPage}
	paging.SetTotalAndNext(int64(len(all)))
	if last := v.lastPage(paging); last != "" {
		return v.redirect(last)
	}
	paging.Offset = min(paging.Offset, int64(len(all)))
	var data modelsPage
	for _, s := range all[paging.Offset:min(paging.Offset+seriesPerPage, int64(len(all)))] {
		view, err := loadSeriesView(ctx, v.client, s)
		if err != nil {
			return err
		}
		if view.Newest != nil {
			data.Series = append(data.Series, *view)
		}
	}
	data.Pager = newPager(v.r.URL, paging, len(data.Series))
	page.Data = data
	return p.show(v, http.StatusOK, "models", page)
}

// loadSeriesView reads the models of the newest datasets of a series, and returns the view of the
// series.
func loadSeriesView(ctx context.Context, c *client.Client, s client.Series) (*seriesView, error) {
	view := &seriesView{Name: s.Name, IsPartial: len(s.Datasets) > maxSeriesDatasets}
	for _, d := range s.Datasets[:min(len(s.Datasets), maxSeriesDatasets)] {
		in := &api.DatasetPageInput{DatasetInput: api.DatasetInput{DatasetKey: d.DatasetKey}, PageInput: api.PageInput{Limit: api.MaxPageLimit}}
		list, err := client.Call(ctx, c, api.ListModelsOfDataset, in)
		if err != nil {
			return nil, err
		}
		view.Models += list.Total
		for _, m := range list.Models {
			if m.Champion {
				view.Champion = &m
			}
			if view.Newest == nil || m.SeriesVersion > view.Newest.SeriesVersion {
				view.Newest = &m
			}
		}
	}
	return view, nil
}

// listSeriesWithModels returns the series that have models.
func (p *Pages) listSeriesWithModels(v *visit) ([]client.Series, error) {
	var all []client.Series
	places := map[string]int{}
	for d, err := range client.AllDatasets(v.r.Context(), v.client, api.ListDatasetsInput{WithModelOnly: true}) {
		if err != nil {
			return nil, err
		}
		name := cmp.Or(d.Series, d.DatasetName)
		i, known := places[name]
		if !known {
			i, all = len(all), append(all, client.Series{Name: name})
			places[name] = i
		}
		all[i].Datasets = append(all[i].Datasets, d)
	}
	return all, nil
}

// maxLeaderboard is the maximum number of models on a leaderboard. Older models are omitted.
const maxLeaderboard = 100

// seriesPage is the data of a leaderboard.
type seriesPage struct {
	// Name is the name of the series. Metric is the metric by which the models are ordered, and
	// Metrics holds all metrics to choose from.
	Name, Metric string
	Metrics      []string
	Entries      []*leaderboard.Entry
	// Omitted is the number of older models that are not in Entries.
	Omitted int
	// Chosen are the keys of the models that the visitor has chosen to compare.
	Chosen []string
}

// ChampionReason says why a model is the champion. It is "" if no model in the table is the
// champion.
func (s seriesPage) ChampionReason() string {
	return leaderboard.ChampionReason(s.Entries)
}

// TestSetNote is the note below the table that explains the column with the numbers of test sets:
// models with the same number were tested on the same rows. It is "" if all models were tested on
// the same rows.
func (s seriesPage) TestSetNote() string {
	if !leaderboard.HasTestSets(s.Entries) {
		return ""
	}
	return leaderboard.TestSetNote
}

// IsChosen reports whether the visitor has chosen to compare a model.
func (s seriesPage) IsChosen(key string) bool { return slices.Contains(s.Chosen, key) }

func (p *Pages) showSeries(v *visit) error {
	return p.writeSeries(v, http.StatusOK, nil, "")
}

func (p *Pages) writeSeries(v *visit, status int, chosen []string, message string) error {
	ctx, name := v.r.Context(), v.r.URL.Query().Get("name")
	all, err := p.listSeriesWithModels(v)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(s client.Series) bool { return s.Name == name })
	if at < 0 {
		return api.NewProblem(api.CodeNotFound, "there is no series %q with models", name)
	}
	models, err := client.ModelsOfSeries(ctx, v.client, all[at])
	if err != nil {
		return err
	}
	byDefault := api.MetricAccuracy
	if len(models) > 0 {
		byDefault = cmp.Or(models[0].Metric, byDefault) // the metric of the newest race, as for the command
	}
	data := seriesPage{Name: name, Metrics: api.RaceMetrics(), Omitted: max(0, len(models)-maxLeaderboard), Chosen: chosen}
	if !slices.Contains(data.Metrics, byDefault) { // a metric of one class, such as f1[yes]
		data.Metrics = append(data.Metrics, byDefault)
	}
	if data.Metric = v.r.URL.Query().Get("metric"); !slices.Contains(data.Metrics, data.Metric) {
		data.Metric = byDefault
	}
	if data.Entries, err = leaderboard.Load(ctx, v.client, models[:len(models)-data.Omitted], data.Metric); err != nil {
		return err
	}
	flags := ""
	if data.Metric != byDefault {
		flags = "--metric " + data.Metric
	}
	command := term.Command("leaderboard", flags, name)
	return p.show(v, status, "series", page{Title: "Models of " + name, Section: "models", Error: message, Commands: []string{command}, Data: data})
}

// comparePage is the data of the comparison of two models.
type comparePage struct {
	A, B *leaderboard.Entry
	Rows []comparisonView
}

// HaveDifferentTestRows reports whether the models were tested on different rows.
func (c comparePage) HaveDifferentTestRows() bool { return leaderboard.HaveDifferentTestRows(c.A, c.B) }

// comparisonView is a row of the comparison: the name of a property, and its values for both
// models, as text. A score also has two confidence intervals. Differs reports whether the values
// differ, and IsTime whether they are timestamps.
type comparisonView struct {
	Name, A, B, IntervalA, IntervalB string
	Differs, IsTime                  bool
}

// newComparisonView returns the row of the table that compares a property of two models.
func newComparisonView(c leaderboard.Comparison) comparisonView {
	format, name := formatProperty, strings.ToUpper(c.Name[:1])+c.Name[1:]
	switch c.Name {
	case "modelKey":
		name, format = "Key", func(key any) string { return api.ShortKey(fmt.Sprint(key)) }
	case "algorithm":
		format = func(code any) string { return design.AlgorithmTitle(fmt.Sprint(code)) }
	case "seconds":
		name, format = "Race took", formatSeconds
	case "createdOn":
		name = "Created"
	}
	if column, is := strings.CutPrefix(c.Name, "importance "); is {
		name = "Importance of " + column
	}
	a, b := format(c.A), format(c.B)
	return comparisonView{
		Name: name, A: a, B: b, IntervalA: design.FormatInterval(c.LowA, c.HighA), IntervalB: design.FormatInterval(c.LowB, c.HighB),
		Differs: a != b, IsTime: c.Name == "createdOn",
	}
}

func (p *Pages) compareModels(v *visit) error {
	query := v.r.URL.Query()
	chosen := slices.Concat(query["model"], []string{query.Get("a"), query.Get("b")})
	chosen = slices.DeleteFunc(chosen, func(key string) bool { return key == "" })
	if len(chosen) != 2 {
		problem := api.NewProblem(api.CodeMalformed, "choose two models to compare, not %d", len(chosen))
		if !query.Has("name") { // not sent by the form of a leaderboard
			return problem
		}
		return p.writeSeries(v, problem.Status, chosen, problem.Detail)
	}
	if chosen[0] == chosen[1] {
		return api.NewProblem(api.CodeMalformed, "choose two different models to compare")
	}
	var both [2]*leaderboard.Entry
	for i, key := range chosen {
		var err error
		if both[i], err = leaderboard.LoadEntryByKey(v.r.Context(), v.client, key); err != nil {
			return err
		}
	}
	data := comparePage{A: both[0], B: both[1]}
	for _, c := range leaderboard.CompareModels(both[0], both[1]) {
		data.Rows = append(data.Rows, newComparisonView(c))
	}
	command := term.Command("models diff", "", both[0].Model, both[1].Model)
	return p.show(v, http.StatusOK, "compare", page{Title: "Compare two models", Section: "models", Commands: []string{command}, Data: data})
}

// formatSeconds formats the duration of a race, an int64. It returns a dash if value is nil, which
// means that the duration is unknown.
func formatSeconds(value any) string {
	seconds, known := value.(int64)
	if !known {
		return "–"
	}
	return leaderboard.FormatSeconds(seconds)
}

// formatProperty formats the value of a property for the comparison of two models: a score with
// its usual decimals, and a whole number with commas between thousands. A nil value, which is
// unknown, is a dash.
func formatProperty(value any) string {
	switch v := value.(type) {
	case nil:
		return "–"
	case float64:
		return design.WithMinusSign(design.FormatScore(v))
	case int64:
		return humanize.Comma(v)
	}
	return fmt.Sprint(value)
}

// modelPage is the data of the page of a model.
type modelPage struct {
	*htmlreport.Document
	// Predictions are the newest predictions of the model, and NumPredictions counts all.
	Predictions    []api.Prediction
	NumPredictions int64
	// Reasons is the number of reasons that was chosen in a rejected form.
	Reasons string
}

// ColumnsJSON returns a JSON array with the names of the columns that a file must have for a
// prediction. The script of the page checks the file with it. ColumnsJSON returns "" if the service
// does not report the columns.
func (m modelPage) ColumnsJSON() (string, error) {
	if len(m.Dataset.Columns) == 0 {
		return "", nil
	}
	names := make([]string, len(m.Dataset.Columns))
	for i := range m.Dataset.Columns {
		names[i] = m.Dataset.Columns[i].Name
	}
	text, err := json.Marshal(names)
	return string(text), err
}

// predictFields are the fields of the form to predict a file.
var predictFields = []formField{{"reasons", "reasons", "Reasons for each row"}, {"file", "file", "Blind CSV file"}}

func (p *Pages) showModel(v *visit) error {
	return p.writeModel(v, "", nil)
}

func (p *Pages) writeModel(v *visit, reasons string, problem *api.Problem) error {
	key := v.r.PathValue("key")
	document, err := htmlreport.Load(v.r.Context(), v.client, key)
	if err != nil {
		return err
	}
	predictions, err := client.Call(v.r.Context(), v.client, api.ListPredictionsOfModel, &api.ModelPageInput{ModelInput: api.ModelInput{ModelKey: key}, PageInput: api.PageInput{Limit: 10}})
	if err != nil {
		return err
	}
	content := page{
		Title: document.Name, Section: "models", Data: modelPage{document, predictions.Predictions, predictions.Total, reasons},
		Commands: []string{term.Command("models report", "--html report.html", document.Name), "foretell predict blind.csv --with " + term.ShellQuote(document.Name)},
	}
	content.setProblem(problem, predictFields)
	return p.show(v, statusOf(problem), "model", content)
}

// downloadReport responds with the report of a model as one HTML file.
func (p *Pages) downloadReport(v *visit) error {
	source, err := report.Load(v.r.Context(), v.client, v.r.PathValue("key"))
	if err != nil {
		return err
	}
	return p.writeReport(v, source, "")
}

// writeReport responds with a report as one HTML file. suffix is added to the name of the file.
func (p *Pages) writeReport(v *visit, source *report.Document, suffix string) error {
	if source.Report == nil {
		return api.NewProblem(api.CodeNotFound, "the model has no report")
	}
	document := htmlreport.New(source)
	var body bytes.Buffer // so that a failure is not a status 200
	if err := htmlreport.Write(&body, document, p.opts.Now); err != nil {
		return err
	}
	file := strings.ReplaceAll(document.Name, "@", "-") + suffix + ".html"
	v.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file}))
	writeCompressed(v.w, v.r, http.StatusOK, body.Bytes())
	return nil
}

// downloadModel responds with the file of a model.
func (p *Pages) downloadModel(v *visit) error {
	return p.forwardToAPI(v, api.PathOf(api.DownloadModel.Operation, v.r.PathValue("key")))
}

func (p *Pages) deleteModel(v *visit) error {
	if _, err := client.Call(v.r.Context(), v.client, api.DeleteModel, &api.ModelInput{ModelKey: v.r.PathValue("key")}); err != nil {
		return err
	}
	return v.redirect("/models")
}
