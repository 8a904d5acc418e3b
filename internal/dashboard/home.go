package dashboard

import (
	"net/http"

	"foretell/internal/api"
	"foretell/internal/client"
)

// homePage is the data of the front page.
type homePage struct {
	// Running are the races that are PENDING or RUNNING, Processing the datasets that are
	// being prepared.
	Running    []api.Training
	Processing []api.DatasetEntry
	// Finished are the newest races that have ended.
	Finished []api.Training
	Datasets int64
	// IsBusy reports whether anything on the page may change soon.
	IsBusy bool
}

// The numbers of races on the front page.
const (
	recentRaces  = 40
	finishedMost = 12
)

func (p *Pages) showHome(v *visit) error {
	ctx := v.r.Context()
	races, err := client.Call(ctx, v.client, api.ListTrainings, &api.ListTrainingsInput{PageInput: api.PageInput{Limit: recentRaces}, ParentOnly: true})
	if err != nil {
		return err
	}
	datasets, err := client.Call(ctx, v.client, api.ListDatasets, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}})
	if err != nil {
		return err
	}
	processing, err := client.Call(ctx, v.client, api.ListDatasets, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 10}, State: api.DatasetProcessing})
	if err != nil {
		return err
	}
	data := homePage{Datasets: datasets.Total, Processing: processing.Datasets.Items}
	for _, race := range races.TrainingJobs {
		if isRacing(race.Status) {
			data.Running = append(data.Running, race)
		} else if len(data.Finished) < finishedMost {
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
