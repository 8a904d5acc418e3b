package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/internal/api"
	"foretell/internal/build"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/preflight"
	"foretell/internal/table/profile"
	"foretell/internal/term"
)

// findOrCreateDataset returns a prepared dataset with the contents of the training file. It returns
// the oldest such dataset of the series. If there is none, it creates one.
func (p *runPipeline) findOrCreateDataset(ctx context.Context) (*api.Dataset, error) {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		all, err := client.ListSeries(ctx, p.Client)
		if err != nil {
			return nil, err
		}
		series := findRunSeries(all, p.name, p.seriesStem)
		same, reread, err := p.findSameDataset(ctx, series)
		if err != nil {
			return nil, err
		}
		if attempt == 1 {
			if err := p.noteJoinedSeries(ctx, series, same.DatasetKey); err != nil {
				return nil, err
			}
		}
		if same.DatasetKey != "" {
			p.output.Note("dataset %s already has the same data, so nothing is uploaded; the race produces the next version of the model", same.DatasetName)
			return p.awaitOldestDataset(ctx, series.Name, same.DatasetKey, false)
		}
		if reread != "" {
			p.output.Note("dataset %s has the same data, but was prepared by another version that read some columns differently, so the file is uploaded again", reread)
		}
		created, err := p.CreateDataset(ctx, &api.CreateDatasetInput{Body: p.nextDatasetRequest(ctx, all, series)})
		if api.CodeFromError(err) == api.CodeNameTaken && attempt < attempts {
			continue // another run has just taken the name
		}
		if err != nil {
			return nil, err
		}
		sent := p.factory.Now()
		train := &preflight.Upload{In: p.files.Train, Size: p.files.TrainProfile.Bytes, RoleFlags: p.files.RoleFlags(), IsNew: true}
		if err := preflight.UploadFile(ctx, p.Session, created, train); err != nil {
			return nil, err
		}
		p.cost.UploadTime = p.factory.Now().Sub(sent)
		return p.awaitOldestDataset(ctx, series.Name, created.DatasetKey, true)
	}
}

// awaitOldestDataset waits until the dataset with the given key is prepared. Then it returns the
// oldest dataset of the series that has the same contents. This is usually the given dataset. But
// if several runs upload the same file at the same time, all of them use the oldest dataset.
// awaitOldestDataset then deletes the given dataset if this run created it (isNew) and no race uses
// it. If the oldest dataset is still being prepared, awaitOldestDataset does not wait for it, and
// returns the given dataset.
func (p *runPipeline) awaitOldestDataset(ctx context.Context, series, key string, isNew bool) (*api.Dataset, error) {
	d, err := p.AwaitDataset(ctx, key)
	if isNew {
		err = preflight.DeleteIfOverQuota(ctx, p.Session, key, err)
	}
	if err != nil || cli.IsDryRun(p.factory.Running) {
		return d, err
	}
	all, err := client.ListSeries(ctx, p.Client)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(s client.Series) bool { return s.Name == series })
	if at < 0 {
		return d, nil
	}
	oldest, _, err := p.findSameDataset(ctx, all[at])
	if err != nil || oldest.Status != api.DatasetCompleted || oldest.DatasetKey == key {
		return d, err
	}
	found, err := p.AwaitDataset(ctx, oldest.DatasetKey)
	if err != nil || !isNew {
		return found, err
	}
	for _, err := range client.AllTrainingsOfDataset(ctx, p.Client, key) {
		return found, err // another command uses the dataset
	}
	if _, err := client.Call(ctx, p.Client, api.DeleteDataset, &api.DatasetInput{DatasetKey: key}); err != nil {
		p.output.Note("warning: dataset %s has the same data as dataset %s, but was not deleted: %v", d.DatasetName, found.DatasetName, err)
		return found, nil
	}
	p.output.Note("another command uploaded the same data at the same time, so its dataset %s is used, and dataset %s was deleted", found.DatasetName, d.DatasetName)
	return found, nil
}

// chooseSeriesStem sets p.seriesStem, the default name of the series, to the name of the training
// file without its extension. If the series of this name has another table, it adds the name of the
// folder: two files called train.csv in the folders iris and car have the series train and
// car-train. If both were in one series, its champion would always be a model of the newer table.
func (p *runPipeline) chooseSeriesStem(ctx context.Context) error {
	p.seriesStem = p.files.Train.Stem()
	if p.name == "" && !client.IsDatasetName(p.seriesStem) {
		p.output.Note("the series is called %s, because names have %d to %d characters; --name sets another name", client.DatasetName(p.seriesStem, 1), api.MinNameLength, api.MaxNameLength)
	}
	folder := p.files.Train.FolderName()
	if p.name != "" || folder == "" {
		return nil
	}
	all, err := client.ListSeries(ctx, p.Client)
	if err != nil {
		return err
	}
	series := findRunSeries(all, "", p.seriesStem)
	i := slices.IndexFunc(series.Datasets, func(d api.DatasetEntry) bool { return d.Status == api.DatasetCompleted })
	if i < 0 {
		return nil
	}
	newest, err := client.Call(ctx, p.Client, api.GetDataset, &api.DatasetInput{DatasetKey: series.Datasets[i].DatasetKey})
	if err != nil || !isOtherTable(newest, p.files) {
		return err
	}
	p.seriesStem = folder + "-" + p.seriesStem
	p.output.Note("the series %s has a table with other columns, so the series of this run is called %s; --name sets another name", series.Name, client.DatasetName(p.seriesStem, 1))
	return nil
}

// noteJoinedSeries prints a note if the model of the run joins an existing series, perhaps by
// mistake. It prints the note if the series is named after the training file, and its newest model
// was trained on another dataset. dataset is the key of the dataset of the run, or "" if it does
// not exist yet.
func (p *runPipeline) noteJoinedSeries(ctx context.Context, series client.Series, dataset string) error {
	if p.name != "" || len(series.Datasets) == 0 {
		return nil
	}
	models, err := client.ModelsOfSeries(ctx, p.Client, series)
	if err != nil || len(models) == 0 || models[0].DatasetKey == dataset {
		return err
	}
	p.output.Note("the model joins the existing series %s, whose newest model was trained on another dataset; --name NAME starts a series of its own", series.Name)
	return nil
}

// isOtherTable reports whether the training file has fewer than half of the features of d. A
// feature of d also counts if it has another role in the training file, because the roles may be
// inferred differently.
func isOtherTable(d *api.Dataset, files *preflight.Preflight) bool {
	common := 0
	for _, column := range d.Columns {
		if files.HasColumn(column.Name) {
			common++
		}
	}
	return 2*common < len(d.Columns)
}

// findRunSeries returns the series of a run. It looks for the series in the list all. A series that
// does not exist yet is returned without datasets. name is the value of --name, and stem is the
// name that the series has without --name.
func findRunSeries(all []client.Series, name, stem string) client.Series {
	series := client.Series{Name: name}
	if name == "" {
		series.Name = client.DatasetName(stem, 1)
	} else if found := client.ResolveSeries(all, name); found != nil {
		series.Name = found.Name
	}
	for _, s := range all {
		if s.Name == series.Name {
			return s
		}
	}
	return series
}

// findSameDataset returns the oldest COMPLETED or PROCESSING dataset in the series that has the
// same contents as the training file and the same number of buckets as the run. It returns the zero
// value if no dataset is the same, or if the service does not report the SHA-256 of datasets. It
// ignores datasets for which isReadDifferently returns true. If it finds only ignored datasets,
// reread is the name of one of them; otherwise reread is "".
func (p *runPipeline) findSameDataset(ctx context.Context, series client.Series) (same api.DatasetEntry, reread string, err error) {
	buckets := p.buckets
	if buckets == 0 {
		buckets = api.DefaultBuckets
	}
	for _, d := range slices.Backward(series.Datasets) {
		ready := d.Status == api.DatasetCompleted || d.Status == api.DatasetProcessing
		if ready && d.NumberOfBuckets == buckets && d.SHA256 != "" && d.SHA256 == p.files.Train.Sha256(p.files.TrainProfile.Bytes) {
			isReread, err := p.isReadDifferently(ctx, d)
			if err != nil {
				return api.DatasetEntry{}, "", err
			}
			if !isReread {
				return d, "", nil
			}
			reread = d.DatasetName
		}
	}
	return api.DatasetEntry{}, reread, nil
}

// isReadDifferently reports whether this version of the program reads a column of the dataset as
// another type, or another kind of date, than the version that prepared the dataset. It returns
// false if the service does not report this version as its own: the service would prepare a new
// dataset, and might read the column as before.
func (p *runPipeline) isReadDifferently(ctx context.Context, entry api.DatasetEntry) (bool, error) {
	if entry.Status != api.DatasetCompleted {
		return false, nil
	}
	d, err := client.Call(ctx, p.Client, api.GetDataset, &api.DatasetInput{DatasetKey: entry.DatasetKey})
	if err != nil || !hasOtherForms(d, p.files.TrainProfile) {
		return false, err
	}
	if p.Embedded {
		return true, nil
	}
	about, err := p.About(ctx)
	return err == nil && about.Version == build.Current().Version, nil // another service may not describe itself
}

// hasOtherForms reports whether a column of d has another type, or another kind of date, than the
// column of the same name in the training file. It returns false if the service does not report
// d.IDName, because such a service does not report the kinds of dates either.
func hasOtherForms(d *api.Dataset, train *profile.Profile) bool {
	return d.IDName != "" && slices.ContainsFunc(d.Columns, func(c api.Column) bool {
		at := train.ColumnIndex(c.Name)
		if at < 0 {
			return false
		}
		now := &train.Columns[at]
		return c.Kind != string(now.Form) || c.Epoch != string(now.Epoch) || c.DateOrder != "" && c.DateOrder != string(now.DateOrder)
	})
}

// nextDatasetRequest returns the request that creates the next dataset of a series. all holds every
// series of the account. The name of the new dataset differs from the names of all their datasets.
func (p *runPipeline) nextDatasetRequest(ctx context.Context, all []client.Series, series client.Series) api.NewDataset {
	taken, known := map[string]bool{}, false
	for _, s := range all {
		for _, d := range s.Datasets {
			taken[d.DatasetName] = true
			known = known || d.Series != ""
		}
	}
	name := series.Name
	for n := 2; taken[name]; n++ {
		name = client.DatasetName(series.Name, n)
	}
	body := preflight.DatasetRequest(name, "", p.buckets)
	body.FileName = p.files.Train.UploadName(ctx, p.files.TrainProfile.Bytes)
	if known && name != series.Name { // a service without series may reject the field
		body.Series = &series.Name
	}
	return body
}

// modelReference returns the reference to the model of the run, such as NAME@v3.
func (p *runPipeline) modelReference() string {
	if p.model.SeriesVersion > 0 {
		return fmt.Sprintf("%s@v%d", cmp.Or(p.dataset.Series, p.dataset.DatasetName), p.model.SeriesVersion)
	}
	return fmt.Sprintf("%s@v%d", p.dataset.DatasetName, p.model.Version)
}

// modelTitle returns the reference to the model of the run. It adds the name of the dataset
// if that differs from the name of the series.
func (p *runPipeline) modelTitle() string {
	if p.dataset.Series == "" || p.dataset.Series == p.dataset.DatasetName {
		return p.modelReference()
	}
	return p.modelReference() + ", of dataset " + p.dataset.DatasetName
}

// printNextCommands prints commands for the next steps, if standard error is a terminal. It prints
// nothing with --progress json, and in a step of another command, such as demo.
func (p *runPipeline) printNextCommands() {
	if !p.factory.Console.ErrTerminal || p.factory.Inner || p.factory.NotesAreEvents {
		return
	}
	model := term.ShellQuote(p.modelReference())
	next := []string{"foretell models report " + model}
	switch {
	case p.files.Blind == nil:
		next = append(next, "foretell predict BLIND.csv --with "+model)
	case p.result.Scores == nil:
		next = append(next, "foretell score "+term.ShellQuote(p.target.Path)+" ANSWERS.csv")
	}
	next = append(next, "foretell leaderboard "+term.ShellQuote(cmp.Or(p.dataset.Series, p.dataset.DatasetName)))
	w, style := p.factory.Console.Err, p.factory.Console.ErrStyle
	for i, command := range next {
		command = p.factory.RepeatFlagsInCommands("`" + command + "`")
		head := style.Dim("next:")
		if i > 0 {
			head = "     "
		}
		fmt.Fprintf(w, "%s %s\n", head, term.Escape(strings.Trim(command, "`")))
	}
}
