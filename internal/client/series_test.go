package client

import (
	"math"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
)

func TestDatasetName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		series string
		n      int
		want   string
	}{
		{"churn", 1, "churn"},
		{"churn", 12, "churn-12"},
		{"t", 1, "t-data"},
		{"--help", 1, "help"},
		{"- ü", 2, "ü-data-2"},
		{"---", 1, "data"},
		{"tr\xff", 1, "tr-"},
		{"one\ntwo\x1b", 2, "one-two--2"},
		{"t", 2, "t-data-2"},
		{"übermäßig lange Überschriften, sehr", 1, "übermäßig lange Überschriften,"},
		{"übermäßig lange Überschriften, sehr", 3, "übermäßig lange Überschrifte-3"},
	} {
		got := DatasetName(test.series, test.n)
		if n := utf8.RuneCountInString(got); got != test.want || n > api.MaxNameLength || n < api.MinNameLength {
			t.Errorf("dataset %d of %q is called %q of %d characters, want %q", test.n, test.series, got, n, test.want)
		}
	}
}

func TestGroupSeries(t *testing.T) {
	t.Parallel()
	entries := func(names ...string) (all []api.DatasetEntry) {
		for _, name := range names {
			all = append(all, api.DatasetEntry{DatasetName: name})
		}
		return all
	}
	const long = "a name of thirty characters ab" // the name of the next dataset has only 28 of these characters
	named := entries("N-3", "M", "N")
	named[0].Series, named[1].Series, named[2].Series = "N", "M", "N"
	for _, test := range []struct {
		name     string
		datasets []api.DatasetEntry
		want     map[string][]string
	}{
		{"as_the_service_says", named, map[string][]string{"N": {"N-3", "N"}, "M": {"M"}}},
		{"by_names", entries("N-3", "lone-2", "N-2", "N-02", "N-1", "N", "a name of thirty characters-2", long), map[string][]string{
			long: {"a name of thirty characters-2", long}, "N": {"N-3", "N-2", "N"}, "lone-2": {"lone-2"}, "N-02": {"N-02"}, "N-1": {"N-1"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := map[string][]string{}
			for _, s := range groupSeries(test.datasets) {
				for _, d := range s.Datasets {
					got[s.Name] = append(got[s.Name], d.DatasetName)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
}

func TestResolveSeries(t *testing.T) {
	t.Parallel()
	all := []Series{
		{Name: "churn", Datasets: []api.DatasetEntry{{DatasetName: "churn-2"}, {DatasetName: "churn"}}},
		{Name: "t-data", Datasets: []api.DatasetEntry{{DatasetName: "t-data"}}},
	}
	for name, want := range map[string]string{
		"churn": "churn: churn-2 churn", "churn-2": "churn: churn-2", "t": "t-data: t-data", "t-data": "t-data: t-data", "chur": "",
	} {
		got := ""
		if s := ResolveSeries(all, name); s != nil {
			got = s.Name + ":"
			for _, d := range s.Datasets {
				got += " " + d.DatasetName
			}
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", name, got, want)
		}
	}
}

func TestChampion(t *testing.T) {
	t.Parallel()
	model := func(version int, dataset, metric string, performance float64) SeriesModel {
		m := SeriesModel{content: dataset}
		m.ModelKey, m.Metric, m.AchievedPerformance.Value = strconv.Itoa(version), metric, performance
		return m
	}
	cancelled := func(version int, dataset string, performance float64) SeriesModel {
		m := model(version, dataset, "accuracy", performance)
		m.Cancelled = true
		return m
	}
	with := func(state string, m SeriesModel) SeriesModel {
		m.State = state
		return m
	}
	grouped := func(m SeriesModel) SeriesModel {
		m.GroupColumn = "customer"
		return m
	}
	for name, test := range map[string]struct {
		models []SeriesModel
		want   string
	}{
		"first of the best of the newest's metric": {[]SeriesModel{model(4, "d", "accuracy", 0.8), model(3, "d", "rocAuc", 0.99), model(2, "d", "accuracy", 0.9), model(1, "d", "accuracy", 0.9)}, "1"},
		"of the newest's dataset":                  {[]SeriesModel{model(3, "e", "accuracy", 0.7), model(2, "d", "accuracy", 0.9), model(1, "e", "accuracy", 0.8)}, "1"},
		"of the newest's division":                 {[]SeriesModel{grouped(model(2, "d", "accuracy", 0.1)), model(1, "d", "accuracy", 0.9)}, "2"},
		"complete, of any dataset":                 {[]SeriesModel{cancelled(3, "e", 0.99), model(2, "d", "accuracy", 0.8), cancelled(1, "d", 0.9)}, "2"},
		"all cancelled":                            {[]SeriesModel{cancelled(2, "e", 0.7), cancelled(1, "d", 0.9)}, "2"},
		"not measured":                             {[]SeriesModel{model(2, "d", "accuracy", 0.1), model(1, "d", "accuracy", math.NaN())}, "2"},
		"promoted":                                 {[]SeriesModel{model(3, "e", "accuracy", 0.7), with(api.ModelPromoted, cancelled(2, "d", 0.1)), model(1, "e", "accuracy", 0.8)}, "2"},
		"rejected":                                 {[]SeriesModel{with(api.ModelRejected, model(3, "e", "accuracy", 0.9)), model(2, "d", "accuracy", 0.7), with(api.ModelRejected, model(1, "d", "accuracy", 0.8))}, "2"},
		"accepted":                                 {[]SeriesModel{model(5, "e", "accuracy", 0.9), with(api.ModelAccepted, model(4, "e", "accuracy", 0.7)), with(api.ModelAccepted, model(3, "e", "accuracy", 0.8)), model(2, "e", "accuracy", 0.9), with(api.ModelAccepted, model(1, "d", "accuracy", 0.9))}, "4"},
		"all rejected":                             {[]SeriesModel{with(api.ModelRejected, model(1, "d", "accuracy", 0.8))}, ""},
		"no models":                                {nil, ""},
	} {
		champion := ""
		if m := FindChampion(test.models); m != nil {
			champion = m.ModelKey
		}
		if champion != test.want {
			t.Errorf("%s: the champion is version %q, want %q", name, champion, test.want)
		}
	}
}
