// Package leaderboard ranks models by their test performance and compares two of them. The
// leaderboard, models and score commands use it.
package leaderboard

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/gate"
	"foretell/internal/report"
)

// Entry is a model with its scores.
type Entry struct {
	// Rank is the position of the model, from 1. It is 0 for a model without a test score.
	// Tie is set if other models have the same Rank.
	Rank int  `json:"rank,omitempty"`
	Tie  bool `json:"tie"`
	// Model is the model's reference, such as train@v3.
	Model string `json:"model"`
	// Table names the label, columns and classes of the model's dataset. It is the name of the
	// label column, followed by a dataset if another entry has the same label column but other
	// columns or classes. It is "" if all entries have the same label, columns and classes.
	Table         string `json:"table,omitempty"`
	ModelKey      string `json:"modelKey"`
	Algorithm     string `json:"algorithm,omitempty"`
	AlgorithmName string `json:"algorithmName,omitempty"`
	Champion      bool   `json:"champion"`
	// ChampionReason says why the model is the champion, such as promoted, or why it is not, such
	// as not-best; see [api.ModelExtensions].
	ChampionReason string `json:"championReason,omitempty"`
	// State is the state of the model, such as rejected. It is empty if only the scores decide
	// whether the model is the champion; see [api.ModelExtensions].
	State  string `json:"state,omitempty"`
	Metric string `json:"metric"`
	// Test is the test score with its interval; nil if it is unknown.
	Test     *float64 `json:"test"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	TestRows int64    `json:"testRows"`
	// TestSet is the number, from 1, of the model's set of test rows. Models with equal numbers
	// were tested on the same rows. It is 0 if the test rows are unknown.
	TestSet int      `json:"testSet,omitempty"`
	LogLoss *float64 `json:"logLoss"` // on the test rows
	Rows    int64    `json:"rows"`    // labelled rows
	// Seconds is the duration of the race in whole seconds; nil if unknown.
	Seconds *int64 `json:"seconds"`
	// Options are the flags of the race.
	Options   string `json:"options"`
	CreatedOn string `json:"createdOn"`

	version int              // version in the series
	dataID  string           // identifies the data of the model: a dataset, or the SHA-256 of its file
	table   int              // index of the model's table among the tables of the leaderboard
	report  *api.ModelReport // nil if the service has no reports
	job     *api.Training
}

// Load returns the ranked entries of models of one series. metric is the metric of their scores.
func Load(ctx context.Context, c *client.Client, models []client.SeriesModel, metric string) ([]*Entry, error) {
	entries := make([]*Entry, len(models))
	var err error
	for i := range models {
		if entries[i], err = loadEntry(ctx, c, &models[i], metric, c.ModelReportSummary); err != nil {
			return nil, err
		}
	}
	if err := setTables(ctx, c, models, entries); err != nil {
		return nil, err
	}
	sortAndRank(entries)
	setTestSets(entries)
	return entries, nil
}

// loadEntry returns the entry of a model. It reads the model's race and calls readReport to read
// its report. metric is the metric of the scores in the entry.
func loadEntry(ctx context.Context, c *client.Client, m *client.SeriesModel, metric string,
	readReport func(ctx context.Context, model string) (*api.ModelReport, error),
) (*Entry, error) {
	e := &Entry{
		Model: m.Reference(), ModelKey: m.ModelKey, Algorithm: m.Algorithm, AlgorithmName: api.AlgorithmKind(m.Algorithm), Champion: m.Champion, ChampionReason: m.ChampionReason, State: m.State,
		Metric: metric, CreatedOn: m.CreatedOn, version: m.SeriesVersion, dataID: m.DatasetKey,
	}
	race, err := raceKey(ctx, c, m)
	if err != nil {
		return nil, err
	}
	if e.job, err = client.Call(ctx, c, api.GetTraining, &api.TrainingInput{TrainingJobKey: race}); err != nil {
		return nil, err
	}
	if e.report, err = readReport(ctx, m.ModelKey); err != nil {
		return nil, err
	}
	e.setScores(metric)
	e.Options = report.RaceFlags(e.job, e.report)
	began, errBegan := time.Parse(api.TimeLayout, e.job.StartedOn)
	ended, errEnded := time.Parse(api.TimeLayout, e.job.FinishedOn)
	if errBegan == nil && errEnded == nil {
		took := int64(ended.Sub(began).Seconds()) // the service reports whole seconds
		e.Seconds = &took
	}
	return e, nil
}

// raceKey returns the key of the race that trained a model. If the service omits the key in lists
// of models, raceKey requests the model.
func raceKey(ctx context.Context, c *client.Client, m *client.SeriesModel) (string, error) {
	if m.TrainingJobKey != "" {
		return m.TrainingJobKey, nil
	}
	model, err := client.Call(ctx, c, api.GetModel, &api.ModelInput{ModelKey: m.ModelKey})
	if err != nil {
		return "", err
	}
	return model.TrainingJobKey, nil
}

// setScores sets the scores to the values of a metric, or to nil if the metric is unknown.
func (e *Entry) setScores(metric string) {
	e.Test, e.Low, e.High = nil, nil, nil
	if e.report == nil {
		return
	}
	e.Rows, e.TestRows = e.report.Rows, e.report.TestRows
	if e.TestRows == 0 {
		return
	}
	value, interval, known := gate.TestScore(e.report, metric)
	if known {
		e.Test = &value
	}
	if loss, known := e.report.Test.Value(api.MetricLogLoss); known {
		e.LogLoss = &loss
	}
	if interval != nil {
		e.Low, e.High = &interval.Low, &interval.High
	}
}

// sortAndRank sorts the models by table, then by score, and equal scores by version. The best score
// and the oldest version are first, and missing scores last. The models of each table are ranked
// separately. A model shares the rank of the model before it if the interval of its score includes
// the best score with this rank.
func sortAndRank(rows []*Entry) {
	sign := 1.0
	if len(rows) > 0 && api.IsLoss(rows[0].Metric) {
		sign = -1
	}
	slices.SortStableFunc(rows, func(a, b *Entry) int {
		switch {
		case a.table != b.table:
			return cmp.Compare(a.table, b.table)
		case a.Test == nil || b.Test == nil:
			return cmp.Compare(boolToInt(a.Test == nil), boolToInt(b.Test == nil))
		}
		return cmp.Or(cmp.Compare(sign**b.Test, sign**a.Test), cmp.Compare(a.version, b.version), cmp.Compare(a.Model, b.Model))
	})
	var first *Entry
	begin := 0 // of the models of the table
	for i, row := range rows {
		if row.table != rows[begin].table {
			first, begin = nil, i
		}
		switch {
		case row.Test == nil:
		case first != nil && row.tiesWith(*first.Test, sign):
			row.Rank, row.Tie, first.Tie = first.Rank, true, true
		default:
			first, row.Rank = row, i-begin+1
		}
	}
}

// setTestSets sets TestSet: entries with the same test rows get the same number. The test rows
// depend on the data, the seed, and the columns of --group and --time.
func setTestSets(entries []*Entry) {
	sets := map[[4]string]int{}
	for _, e := range entries {
		if e.TestRows == 0 {
			continue
		}
		key := e.testRowsID()
		if sets[key] == 0 {
			sets[key] = len(sets) + 1
		}
		e.TestSet = sets[key]
	}
}

// testRowsID returns a value that is equal for models with the same test rows. The model must have
// test rows.
func (e *Entry) testRowsID() [4]string {
	return [4]string{e.dataID, strconv.FormatInt(e.report.Seed, 10), e.report.GroupColumn, e.report.TimeColumn}
}

// HaveDifferentTestRows reports whether two models were tested on different rows. It returns false if the
// test rows of one of them are unknown.
func HaveDifferentTestRows(a, b *Entry) bool {
	return a.TestRows > 0 && b.TestRows > 0 && a.testRowsID() != b.testRowsID()
}

// HasTestSets reports whether the entries were tested on at least two different sets of rows.
func HasTestSets(entries []*Entry) bool {
	return slices.ContainsFunc(entries, func(e *Entry) bool { return e.TestSet > 1 })
}

// tiesWith reports whether e ties with a model that has a better score. It does if the interval of
// e includes that score or, without an interval, if the scores are equal. sign is -1 for a metric
// where lower is better.
func (e *Entry) tiesWith(score, sign float64) bool {
	switch {
	case e.Low == nil || e.High == nil:
		return *e.Test == score
	case sign < 0:
		return *e.Low <= score
	}
	return *e.High >= score
}

// LoadEntryByKey returns the entry of the model with the given key, for [CompareModels].
func LoadEntryByKey(ctx context.Context, c *client.Client, key string) (*Entry, error) {
	model, err := client.Call(ctx, c, api.GetModel, &api.ModelInput{ModelKey: key})
	if err != nil {
		return nil, err
	}
	dataset, err := client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: model.DatasetKey})
	if err != nil {
		return nil, err
	}
	m := &client.SeriesModel{DatasetKey: dataset.DatasetKey, DatasetName: dataset.DatasetName, ModelEntry: api.ModelEntry{
		ModelKey: key, TrainingJobKey: model.TrainingJobKey, Version: model.Version, AchievedPerformance: model.AchievedPerformance, Algorithm: model.Algorithm,
		Champion: model.Champion, CreatedOn: model.CreatedOn, ModelExtensions: model.ModelExtensions,
	}}
	m.Series, m.SeriesVersion = cmp.Or(m.Series, dataset.DatasetName), cmp.Or(m.SeriesVersion, m.Version)
	e, err := loadEntry(ctx, c, m, api.MetricAccuracy, c.ModelReport)
	if err != nil {
		return nil, err
	}
	e.dataID = cmp.Or(dataset.SHA256, dataset.DatasetKey)
	return e, nil
}

// boolToInt returns 1 for true, so that false sorts first.
func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// importance returns the importance of a column, or nil if it is unknown.
func (e *Entry) importance(column string) *float64 {
	if e.report == nil {
		return nil
	}
	for _, i := range e.report.Importances {
		if i.Column == column {
			return &i.Importance
		}
	}
	return nil
}

// CompareModels returns the properties of two models side by side: scores, data, options and the
// importances of the columns. It omits the importances if they have different units, because the
// metrics or the class weights of the races differ.
func CompareModels(a, b *Entry) []Comparison {
	rows := []Comparison{{Name: "modelKey", A: a.ModelKey, B: b.ModelKey}, {Name: "algorithm", A: a.Algorithm, B: b.Algorithm}}
	for _, metric := range api.RaceMetrics() {
		a.setScores(metric)
		b.setScores(metric)
		rows = append(rows, Comparison{
			Name: "test " + metric, A: anyOrNil(a.Test), B: anyOrNil(b.Test), LowA: a.Low, HighA: a.High, LowB: b.Low, HighB: b.High,
		})
	}
	rows = append(rows,
		Comparison{Name: "test rows", A: a.TestRows, B: b.TestRows},
		Comparison{Name: "labelled rows", A: a.Rows, B: b.Rows},
		Comparison{Name: "dataset", A: a.job.DatasetName, B: b.job.DatasetName},
		Comparison{Name: "options", A: a.Options, B: b.Options},
		Comparison{Name: "seconds", A: anyOrNil(a.Seconds), B: anyOrNil(b.Seconds)},
		Comparison{Name: "createdOn", A: a.CreatedOn, B: b.CreatedOn},
	)
	if a.job.Metric != b.job.Metric || a.job.ClassWeights.String() != b.job.ClassWeights.String() ||
		a.report != nil && b.report != nil && a.report.ImportanceMetric != b.report.ImportanceMetric {
		return rows // the importances have different units
	}
	for _, column := range importantColumns(a, b) {
		rows = append(rows, Comparison{Name: "importance " + column, A: anyOrNil(a.importance(column)), B: anyOrNil(b.importance(column))})
	}
	return rows
}

// Comparison is one property of two models.
type Comparison struct {
	Name string `json:"name"`
	A    any    `json:"a"`
	B    any    `json:"b"`
	// LowA, HighA, LowB and HighB are the ends of the 95 % intervals of scores; nil for a property
	// that is not a score.
	LowA  *float64 `json:"lowA,omitempty"`
	HighA *float64 `json:"highA,omitempty"`
	LowB  *float64 `json:"lowB,omitempty"`
	HighB *float64 `json:"highB,omitempty"`
}

// importantColumns returns the names of the ten most important columns of each model.
func importantColumns(models ...*Entry) []string {
	const most = 10
	var names []string
	for _, m := range models {
		if m.report == nil {
			continue
		}
		for _, i := range m.report.Importances[:min(most, len(m.report.Importances))] {
			if !slices.Contains(names, i.Column) {
				names = append(names, i.Column)
			}
		}
	}
	return names
}

// anyOrNil returns *p, or nil if p is nil, so that the JSON is null.
func anyOrNil[T float64 | int64](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
