package client

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"foretell/internal/api"
)

// DatasetName returns the name of the nth dataset of a series. For the series iris, this is iris if
// n is 1, iris-2 if n is 2, and so on. It truncates series so that the result has at most 30
// characters, and omits dashes at its beginning, because a command would read the name as a flag.
// Control characters, which the name of a file may have, become dashes. If one or two characters
// remain, it appends "-data". If none remain, it uses "data" as the series.
func DatasetName(series string, n int) string {
	series = strings.TrimLeft(strings.Map(replaceControl, storedName(series)), "- ")
	if series == "" {
		series = "data"
	}
	if utf8.RuneCountInString(series) < api.MinNameLength {
		series += "-data"
	}
	suffix := ""
	if n > 1 {
		suffix = "-" + strconv.Itoa(n)
	}
	runes := []rune(series)
	return strings.TrimSpace(string(runes[:min(len(runes), api.MaxNameLength-len(suffix))])) + suffix
}

// replaceControl returns a dash for a control character, and any other character unchanged.
func replaceControl(r rune) rune {
	if api.IsControl(r) {
		return '-'
	}
	return r
}

// storedName returns the form in which the service stores a name.
func storedName(name string) string { return norm.NFC.String(strings.TrimSpace(name)) }

// IsDatasetName reports whether name, in Unicode normalization form C, has a valid length for a
// dataset or series.
func IsDatasetName(name string) bool {
	n := utf8.RuneCountInString(norm.NFC.String(name))
	return n >= api.MinNameLength && n <= api.MaxNameLength
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

// groupSeries groups datasets by series. The datasets must be ordered newest first.
func groupSeries(newestFirst []api.DatasetEntry) []Series {
	names := map[string]bool{}
	for _, d := range newestFirst {
		names[d.DatasetName] = true
	}
	var all []Series
	for _, d := range newestFirst {
		name := cmp.Or(d.Series, inferSeries(d.DatasetName, names))
		i := slices.IndexFunc(all, func(s Series) bool { return s.Name == name })
		if i < 0 {
			i, all = len(all), append(all, Series{Name: name})
		}
		all[i].Datasets = append(all[i].Datasets, d)
	}
	return all
}

// inferSeries returns the series of the dataset called name, for a service that does not report
// series. datasetNames are the names of all datasets. NAME-2 belongs to the series NAME if there is
// a dataset NAME. Otherwise, [DatasetName] may have truncated a longer name to NAME to make
// room for -2: if a dataset has such a longer name, NAME-2 belongs to its series. Any other dataset
// is a series of its own.
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
		if utf8.RuneCountInString(other) > api.MaxNameLength-len(name[at:]) && DatasetName(other, n) == name && (cut == "" || other < cut) {
			cut = other
		}
	}
	return cmp.Or(cut, name)
}

// ResolveSeries returns the series called name or, if there is none, a series with only the dataset
// called name. If there is no such dataset either, it tries DatasetName(name, 1), because name may
// be the name of a training file and too long for a series. If it finds nothing, it returns nil.
func ResolveSeries(all []Series, name string) *Series {
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
		return ResolveSeries(all, file)
	}
	return nil
}

// SeriesModel is a model of a series. Its fields Series, SeriesVersion and Champion
// are set even if the service does not report them.
type SeriesModel struct {
	api.ModelEntry
	DatasetKey  string `json:"datasetKey"`
	DatasetName string `json:"datasetName"`
	// content identifies the data of the model: it is equal for datasets with the same file and the
	// same number of buckets. If the file is unknown, content is the key of the dataset.
	content string
}

// datasetContent returns the value of SeriesModel.content for a dataset.
func datasetContent(d api.DatasetEntry) string {
	if d.SHA256 == "" {
		return d.DatasetKey
	}
	return d.SHA256 + " " + strconv.Itoa(d.NumberOfBuckets)
}

// ModelsOfSeries returns the models of a series, newest first. At most one of them is the champion;
// see [FindChampion].
func ModelsOfSeries(ctx context.Context, c *Client, s Series) ([]SeriesModel, error) {
	var models []SeriesModel
	reported := "" // key of the champion that the service reports
	reportsSeries := true
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
			if m.Champion && m.Series != "" { // a service that reports series has chosen it
				reported = m.ModelKey
			}
			reportsSeries = reportsSeries && m.Series != ""
			m.Series = s.Name
			models = append(models, SeriesModel{m, d.DatasetKey, d.DatasetName, datasetContent(d)})
		}
		before += newest
	}
	sort.SliceStable(models, func(i, j int) bool { return models[i].SeriesVersion > models[j].SeriesVersion })
	best := reported
	if best == "" || len(s.Datasets) == 1 { // s may be one dataset of a longer series. The champion of that series need not be the champion of s
		if !reportsSeries {
			if err := setCancelledFields(ctx, c, models); err != nil {
				return nil, err
			}
		}
		if champion := FindChampion(models); champion != nil {
			best = champion.ModelKey
		}
	}
	for i := range models {
		if m := &models[i]; m.Champion != (m.ModelKey == best) {
			m.Champion, m.ChampionReason = !m.Champion, "" // the reason is for the whole series
		}
	}
	return models, nil
}

// setCancelledFields sets the field Cancelled of models from a service that does not report it.
// newestFirst holds the models of one series. setCancelledFields reads the races of a model's
// dataset to find out whether the race of the model was cancelled. Once it has found a model that was
// not cancelled, it reads no more datasets: the models of older datasets cannot be the champion, and
// their Cancelled stays false. If the service cannot list races, Cancelled is false for all models.
func setCancelledFields(ctx context.Context, c *Client, newestFirst []SeriesModel) error {
	cancelled := map[string]bool{} // whether the race was cancelled, by key of the model
	read, complete := map[string]bool{}, false
	for i := range newestFirst {
		m := &newestFirst[i]
		if !read[m.DatasetKey] {
			if complete {
				continue
			}
			read[m.DatasetKey] = true
			for race, err := range AllTrainingsOfDataset(ctx, c, m.DatasetKey) {
				if IsMissingOperation(err) {
					break
				}
				if err != nil {
					return err
				}
				if race.ModelKey != "" && race.Status == api.TrainingCancelled {
					cancelled[race.ModelKey] = true
				}
			}
		}
		m.Cancelled = cancelled[m.ModelKey]
		complete = complete || !m.Cancelled
	}
	return nil
}

// FindNewest returns the model that decides with which other models the champion is compared; see
// [FindChampion]. This is the promoted model or, if no model is promoted, the newest model.
// Rejected models are ignored. Models of cancelled races are ignored, too, unless all races were
// cancelled. FindNewest returns nil if no model is left. newestFirst holds the models of one
// series, newest first.
func FindNewest(newestFirst []SeriesModel) (newest *SeriesModel) {
	for i := range newestFirst {
		m := &newestFirst[i]
		switch {
		case m.State == api.ModelPromoted:
			return m
		case m.State == api.ModelRejected:
		case newest == nil || newest.Cancelled && !m.Cancelled:
			newest = m
		}
	}
	return newest
}

// FindChampion returns the champion of the models of one series, which must be ordered newest
// first. It is the first of these:
//
//  1. the promoted model
//  2. the newest accepted model
//  3. the model with the highest performance on the validation rows, the oldest in a tie
//
// For 2 and 3, only models with the data and the [ScoreKind] of the newest model are considered,
// because other scores cannot be compared; see [FindNewest]. Datasets with the same file and the same
// number of buckets have the same data. Models that FindNewest ignores are not considered. A missing
// performance counts as the lowest. FindChampion returns nil if no model can be the champion.
func FindChampion(newestFirst []SeriesModel) *SeriesModel {
	newest := FindNewest(newestFirst)
	if newest == nil || newest.State == api.ModelPromoted {
		return newest
	}
	best, kind := newest, ModelScoreKind(&newest.ModelExtensions)
	for i := range newestFirst {
		m := &newestFirst[i]
		switch {
		case m.State == api.ModelRejected:
		case m.Cancelled != newest.Cancelled || m.content != newest.content || ModelScoreKind(&m.ModelExtensions) != kind:
		case best.State == api.ModelAccepted: // it is newer
		case m.State == api.ModelAccepted:
			best = m
		case cmp.Compare(m.AchievedPerformance.Value, best.AchievedPerformance.Value) >= 0: // NaN is the lowest
			best = m
		}
	}
	return best
}
