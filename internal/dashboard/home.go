package dashboard

import (
	"net/http"

	"foretell/internal/api"
	"foretell/internal/client"
)

// homePage is the data of the front page.
type homePage struct {
	// Running holds the newest races that are PENDING or RUNNING, and OmittedRaces is the number of
	// such races that are not shown. Processing has the datasets that are being prepared.
	Running      []api.Training
	OmittedRaces int64
	Processing   []api.DatasetEntry
	// Finished are the newest races that have ended.
	Finished []api.Training
	// HasDatasets reports whether the account has a dataset.
	HasDatasets bool
	// IsBusy reports whether anything on the page may change soon.
	IsBusy bool
}

// The maximum numbers of rows on the front page.
const (
	maxRunning    = 20
	maxProcessing = 10
	maxFinished   = 12
)

func (p *Pages) showHome(v *visit) error {
	ctx := v.r.Context()
	running, err := client.Call(ctx, v.client, api.ListTrainings, &api.ListTrainingsInput{PageInput: api.PageInput{Limit: maxRunning}, ParentOnly: true, ActiveOnly: true})
	if err != nil {
		return err
	}
	// If at most maxRunning races have not ended, at least maxFinished of these races have ended.
	newest, err := client.Call(ctx, v.client, api.ListTrainings, &api.ListTrainingsInput{PageInput: api.PageInput{Limit: maxRunning + maxFinished}, ParentOnly: true})
	if err != nil {
		return err
	}
	datasets, err := client.Call(ctx, v.client, api.ListDatasets, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}})
	if err != nil {
		return err
	}
	processing, err := client.Call(ctx, v.client, api.ListDatasets, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: maxProcessing}, State: api.DatasetProcessing})
	if err != nil {
		return err
	}
	data := homePage{
		Running: running.TrainingJobs, OmittedRaces: running.Total - int64(len(running.TrainingJobs)),
		Processing: processing.Datasets.Items, HasDatasets: datasets.Total > 0,
	}
	for _, race := range newest.TrainingJobs {
		if !isRacing(race.Status) && len(data.Finished) < maxFinished {
			data.Finished = append(data.Finished, race)
		}
	}
	data.IsBusy = len(data.Running)+len(data.Processing) > 0
	return p.show(v, http.StatusOK, "home", page{Title: "Home", Section: "home", Commands: []string{"foretell training list"}, Data: data})
}

// isRacing reports whether a race has not ended.
func isRacing(status string) bool {
	return status == api.TrainingPending || status == api.TrainingRunning
}
