package client

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"foretell/internal/api"
)

// The minimum and the maximum length of the name of a dataset or series, in characters.
const (
	minName = 3
	maxName = 30
)

// DatasetName returns the name of the nth dataset of a series: NAME if n is 1, NAME-2
// if n is 2, and so on. NAME is truncated so that the result has at most 30
// characters. If series has fewer than 3 characters, "-data" is appended to it.
func DatasetName(series string, n int) string {
	series = norm.NFC.String(strings.TrimSpace(series)) // the form in which the service stores names
	if utf8.RuneCountInString(series) < minName {
		series += "-data"
	}
	suffix := ""
	if n > 1 {
		suffix = "-" + strconv.Itoa(n)
	}
	runes := []rune(series)
	return strings.TrimSpace(string(runes[:min(len(runes), maxName-len(suffix))])) + suffix
}

// IsDatasetName reports whether name has a valid length for a dataset or series.
func IsDatasetName(name string) bool {
	n := utf8.RuneCountInString(name)
	return n >= minName && n <= maxName
}

// Series is a named group of datasets, such as the datasets of all runs with the same --name.
type Series struct {
	Name string
	// Datasets has at least one element, newest first.
	Datasets []api.DatasetEntry
}

// ListSeries returns the series of the account. The series with the newest dataset is
// the first.
func ListSeries(ctx context.Context, c *Client) ([]Series, error) {
	var datasets []api.DatasetEntry
	for d, err := range AllDatasets(ctx, c, api.ListDatasetsInput{}) {
		if err != nil {
			return nil, err
		}
		datasets = append(datasets, d)
	}
	return groupSeries(datasets), nil
}

// groupSeries groups datasets by series. datasets must be ordered newest first.
func groupSeries(datasets []api.DatasetEntry) []Series {
	names := map[string]bool{}
	for _, d := range datasets {
		names[d.DatasetName] = true
	}
	var all []Series
	for _, d := range datasets {
		name := cmp.Or(d.Series, inferSeries(d.DatasetName, names))
		i := slices.IndexFunc(all, func(s Series) bool { return s.Name == name })
		if i < 0 {
			i, all = len(all), append(all, Series{Name: name})
		}
		all[i].Datasets = append(all[i].Datasets, d)
	}
	return all
}

// inferSeries returns the series of the dataset called name, for a service that does not
// report series. datasetNames are the names of all datasets. NAME-2 belongs to the series NAME
// if there is a dataset NAME. NAME may also be the beginning of a longer name that
// [DatasetName] has truncated. Then NAME-2 belongs to the series with the longer name.
// Any other dataset is a series of its own.
func inferSeries(name string, datasetNames map[string]bool) string {
	at := strings.LastIndexByte(name, '-')
	if at < 0 {
		return name
	}
	n, err := strconv.Atoi(name[at+1:])
	if err != nil || n < 2 || name[at+1:] != strconv.Itoa(n) {
		return name
	}
	if datasetNames[name[:at]] {
		return name[:at]
	}
	cut := "" // the first name in alphabetical order that DatasetName truncates to make name
	for other := range datasetNames {
		if utf8.RuneCountInString(other) > maxName-len(name[at:]) && DatasetName(other, n) == name && (cut == "" || other < cut) {
			cut = other
		}
	}
	return cmp.Or(cut, name)
}

// FindSeries returns the series called name. If none exists, it returns a series with
// only the dataset called name. If there is no such dataset either, it searches for
// DatasetName(name, 1), because name may be that of a training file and too long for a
// series. It returns nil if it finds nothing.
func FindSeries(all []Series, name string) *Series {
	for _, s := range all {
		if s.Name == name {
			return &s
		}
	}
	for _, s := range all {
		for _, d := range s.Datasets {
			if d.DatasetName == name {
				return &Series{Name: s.Name, Datasets: []api.DatasetEntry{d}}
			}
		}
	}
	if file := DatasetName(name, 1); file != name {
		return FindSeries(all, file)
	}
	return nil
}

// SeriesModel is a model of a series. Its fields Series, SeriesVersion and Champion
// are set even if the service does not report them.
type SeriesModel struct {
	api.ModelEntry
	DatasetKey  string `json:"datasetKey"`
	DatasetName string `json:"datasetName"`
}

// Reference returns a reference to the model for the command line, such as NAME@v3.
func (m *SeriesModel) Reference() string { return m.Series + "@v" + strconv.Itoa(m.SeriesVersion) }

// ModelsOfSeries returns the models of a series, newest first.
func ModelsOfSeries(ctx context.Context, c *Client, s Series) ([]SeriesModel, error) {
	var models []SeriesModel
	before := 0 // number of versions in older datasets, if SeriesVersion is not reported
	for _, d := range slices.Backward(s.Datasets) {
		if d.Status != api.DatasetCompleted {
			continue
		}
		newest := 0
		for m, err := range AllModelsOfDataset(ctx, c, d.DatasetKey) {
			if err != nil {
				return nil, err
			}
			newest = max(newest, m.Version)
			if m.SeriesVersion == 0 {
				m.SeriesVersion = before + m.Version
			}
			m.Series = s.Name
			models = append(models, SeriesModel{m, d.DatasetKey, d.DatasetName})
		}
		before += newest
	}
	slices.SortStableFunc(models, func(a, b SeriesModel) int { return cmp.Compare(b.SeriesVersion, a.SeriesVersion) })
	for i := range models {
		models[i].Champion = false
	}
	if best := Champion(models); best != nil {
		best.Champion = true
	}
	return models, nil
}

// Champion returns the model with the highest performance, or the oldest of several such
// models. models are the models of one series, newest first. Models whose metric differs
// from that of the newest model are ignored. A model without a performance is returned only
// if no model has one. Champion returns nil if models is empty.
func Champion(models []SeriesModel) *SeriesModel {
	var best *SeriesModel
	for i := range models {
		m := &models[i]
		if m.Metric == models[0].Metric && (best == nil || cmp.Compare(m.AchievedPerformance.Value, best.AchievedPerformance.Value) >= 0) {
			best = m
		}
	}
	return best
}

// TableSchema has what models of the same task have in common: the label, the columns and the
// classes of their datasets. Scores of models with other schemas cannot be compared.
type TableSchema struct {
	// Label is the name of the label column; "" if it is unknown.
	Label string
	// Columns are the names of the features, in file order; nil if they are unknown.
	Columns []string
	// Classes are sorted; nil if they are unknown.
	Classes []string
}

// DatasetSchema returns the schema of a dataset.
func DatasetSchema(d *api.Dataset) TableSchema {
	t := TableSchema{Label: d.LabelName}
	for _, column := range d.Columns {
		t.Columns = append(t.Columns, column.Name)
	}
	for _, class := range d.Classes {
		t.Classes = append(t.Classes, class.Label)
	}
	slices.Sort(t.Classes)
	return t
}

// Matches reports whether two tables have the same label, columns and classes. What is unknown
// of either table is considered equal.
func (t TableSchema) Matches(other TableSchema) bool {
	sameNames := func(a, b []string) bool { return len(a) == 0 || len(b) == 0 || slices.Equal(a, b) }
	return (t.Label == "" || other.Label == "" || t.Label == other.Label) &&
		sameNames(t.Columns, other.Columns) && sameNames(t.Classes, other.Classes)
}
