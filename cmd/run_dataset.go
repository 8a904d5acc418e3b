package cmd

import (
	"context"
	"fmt"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/term"
)

// ready returns the dataset that the race is to be on: the newest of the series
// with the same bytes, or else a new one, uploaded and prepared.
func (j *journey) ready(ctx context.Context) (*api.Dataset, error) {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		all, err := client.ListSeries(ctx, j.Client)
		if err != nil {
			return nil, err
		}
		series := seriesFor(all, j.name, j.files.train.stem())
		if key := j.sameData(series); key != "" {
			return j.dataset(ctx, key)
		}
		created, err := client.Call(ctx, j.Client, api.CreateDataset, &api.CreateDatasetInput{Body: j.newDataset(all, series)})
		if api.CodeOf(err) == api.CodeNameTaken && attempt < attempts {
			continue // another run has just taken the name
		}
		if err != nil {
			return nil, err
		}
		sent := j.host.now()
		if err := j.upload(ctx, created, &upload{in: j.files.train, size: j.files.trained.Bytes}); err != nil {
			return nil, err
		}
		j.cost.uploading = j.host.now().Sub(sent)
		return j.dataset(ctx, created.DatasetKey)
	}
}

// seriesFor returns the series that a run is of: the one that --name means, or
// that of the file's name, with all of its datasets.
func seriesFor(all []client.Series, name, stem string) client.Series {
	series := client.Series{Name: name}
	if name == "" {
		series.Name = client.DatasetName(stem, 1)
	} else if found := client.FindSeries(all, name); found != nil {
		series.Name = found.Name
	}
	for _, s := range all {
		if s.Name == series.Name {
			return s
		}
	}
	return series
}

// sameData returns the key of the newest dataset of the series that holds the
// bytes of the training file in the bins that are asked for; "" if there is none,
// or the service does not say.
func (j *journey) sameData(series client.Series) string {
	buckets := j.buckets
	if buckets == 0 {
		buckets = api.DefaultBuckets
	}
	for _, d := range series.Datasets {
		ready := d.Status == api.DatasetCompleted || d.Status == api.DatasetProcessing
		if ready && d.NumberOfBuckets == buckets && d.SHA256 != "" && d.SHA256 == j.files.train.sha256(j.files.trained.Bytes) {
			j.output.note("the data is that of dataset %s: nothing is uploaded, and the model will be the next version", d.DatasetName)
			return d.DatasetKey
		}
	}
	return ""
}

// newDataset is the request for the next dataset of a series.
func (j *journey) newDataset(all []client.Series, series client.Series) api.NewDataset {
	taken, known := map[string]bool{}, false
	for _, s := range all {
		for _, d := range s.Datasets {
			taken[d.DatasetName] = true
			known = known || d.Series != ""
		}
	}
	name := series.Name // the service refuses a --name of a wrong length
	for n := 2; taken[name]; n++ {
		name = client.DatasetName(series.Name, n)
	}
	body := newDataset(name, "", j.buckets)
	if known && name != series.Name { // a service without series may refuse the member
		body.Series = &series.Name
	}
	return body
}

// propose names the model, and on a terminal what can be done next.
func (j *journey) propose() {
	w, style := j.host.console.Err, j.host.console.ErrStyle
	version := j.model.Version
	if j.model.SeriesVersion > 0 {
		version = j.model.SeriesVersion
	}
	series := j.table.Series
	if series == "" {
		series = j.table.DatasetName
	}
	model := fmt.Sprintf("%s@v%d", series, version)
	of := ""
	if series != j.table.DatasetName {
		of = ", of dataset " + term.Escape(j.table.DatasetName)
	}
	fmt.Fprintf(w, "  %-10s %s%s\n", "model", term.Escape(model), of)
	if !j.host.console.ErrTerminal {
		return
	}
	report := j.host.pin("`foretell models report " + quote(model) + "`")
	predict := j.host.pin("`foretell predictions create " + quote(model) + " BLIND.csv`")
	fmt.Fprintf(w, "%s %s\n      %s\n", style.Dim("next:"), term.Escape(report[1:len(report)-1]), term.Escape(predict[1:len(predict)-1]))
}
