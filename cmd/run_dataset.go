package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/term"
)

// ready returns the dataset to race on: the newest of the series
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

// reference is what commands call the model: NAME@v3.
func (j *journey) reference() string {
	if j.model.SeriesVersion > 0 {
		return fmt.Sprintf("%s@v%d", cmp.Or(j.table.Series, j.table.DatasetName), j.model.SeriesVersion)
	}
	return fmt.Sprintf("%s@v%d", j.table.DatasetName, j.model.Version)
}

// named is the model's reference, and its dataset where that has another name.
func (j *journey) named() string {
	if j.table.Series == "" || j.table.Series == j.table.DatasetName {
		return j.reference()
	}
	return j.reference() + ", of dataset " + j.table.DatasetName
}

// propose tells a terminal what can be done next.
func (j *journey) propose() {
	if !j.host.console.ErrTerminal {
		return
	}
	model := quote(j.reference())
	next := []string{"foretell models report " + model}
	switch {
	case j.files.blind == nil:
		next = append(next, "foretell predict BLIND.csv --with "+model)
	case j.result.Scores == nil:
		next = append(next, "foretell score "+quote(j.target.path)+" ANSWERS.csv")
	}
	next = append(next, "foretell leaderboard "+quote(cmp.Or(j.table.Series, j.table.DatasetName)))
	w, style := j.host.console.Err, j.host.console.ErrStyle
	for i, command := range next {
		command = j.host.pin("`" + command + "`")
		head := style.Dim("next:")
		if i > 0 {
			head = "     "
		}
		fmt.Fprintf(w, "%s %s\n", head, term.Escape(strings.Trim(command, "`")))
	}
}
