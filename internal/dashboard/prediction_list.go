package dashboard

import (
	"context"
	"net/http"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/report"
	"foretell/internal/term"
)

// predictionDatasetsPerPage is the maximum number of datasets on one page of the list of predictions.
// For each of them, the page lists at most predictionsPerDataset predictions.
const (
	predictionDatasetsPerPage = 20
	predictionsPerDataset     = 20
)

// predictionsPage is the data of the list of predictions.
type predictionsPage struct {
	// Name is the dataset or model whose predictions are listed. It is empty if the predictions of
	// all datasets are listed.
	Name   string
	Groups []predictionGroup
	Pager  pager
	// IsBusy reports whether a prediction on the page has not ended.
	IsBusy bool
}

// predictionGroup holds the newest predictions of a dataset, or one page of all predictions of a
// dataset or a model.
type predictionGroup struct {
	// Name is the name of the dataset, or the name and version of the model, such as train@v3. Path
	// is the path of its page.
	Name, Path  string
	Predictions []api.Prediction
	// Models holds the names and versions of the newest models, such as train@v3, by key.
	Models map[string]string
	// All is the address of the list of all predictions. It is empty if Predictions has all of them,
	// or if they are on several pages with links to each other.
	All string
	// Total is the number of all predictions of the dataset or model.
	Total int64
}

// listPredictions shows the newest predictions of each dataset. With the query parameter dataset or
// model, it shows all predictions of this dataset or model.
func (p *Pages) listPredictions(v *visit) error {
	query := v.r.URL.Query()
	if key := query.Get("dataset"); key != "" {
		return p.listPredictionsOfDataset(v, key)
	}
	if key := query.Get("model"); key != "" {
		return p.listPredictionsOfModel(v, key)
	}
	ctx, in := v.r.Context(), pageInput(v.r)
	in.Limit = predictionDatasetsPerPage
	datasets, err := client.Call(ctx, v.client, api.ListDatasets, &api.ListDatasetsInput{PageInput: in, WithPredictionOnly: true})
	if err != nil {
		return err
	}
	if last := v.lastPage(datasets.Page); last != "" {
		return v.redirect(last)
	}
	data := predictionsPage{Pager: newPager(v.r.URL, datasets.Page, len(datasets.Datasets.Items))}
	data.Pager.Noun = "datasets with predictions"
	for _, d := range datasets.Datasets.Items {
		list, err := client.Call(ctx, v.client, api.ListPredictionsOfDataset, &api.DatasetPageInput{
			DatasetInput: api.DatasetInput{DatasetKey: d.DatasetKey}, PageInput: api.PageInput{Limit: predictionsPerDataset},
		})
		if err != nil {
			return err
		}
		group := predictionGroup{Name: d.DatasetName, Path: "/datasets/" + d.DatasetKey, Predictions: list.Predictions, Total: list.Total}
		if int(list.Total) > len(list.Predictions) {
			group.All = "/predictions?dataset=" + d.DatasetKey
		}
		if len(group.Predictions) > 0 {
			if group.Models, err = modelNames(ctx, v.client, d.DatasetKey); err != nil {
				return err
			}
		}
		data.add(group)
	}
	return p.writePredictions(v, data, "foretell predictions list")
}

// modelNames returns the names and versions of the newest models of a dataset, such as train@v3, by
// key.
func modelNames(ctx context.Context, c *client.Client, dataset string) (map[string]string, error) {
	in := &api.DatasetPageInput{DatasetInput: api.DatasetInput{DatasetKey: dataset}, PageInput: api.PageInput{Limit: api.MaxPageLimit}}
	list, err := client.Call(ctx, c, api.ListModelsOfDataset, in)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, m := range list.Models {
		names[m.ModelKey] = m.Reference()
	}
	return names, nil
}

func (p *Pages) listPredictionsOfDataset(v *visit, key string) error {
	in := api.DatasetPageInput{DatasetInput: api.DatasetInput{DatasetKey: key}, PageInput: pageInput(v.r)}
	d, err := client.Call(v.r.Context(), v.client, api.GetDataset, &in.DatasetInput)
	if err != nil {
		return err
	}
	list, err := client.Call(v.r.Context(), v.client, api.ListPredictionsOfDataset, &in)
	if err != nil {
		return err
	}
	names, err := modelNames(v.r.Context(), v.client, key)
	if err != nil {
		return err
	}
	return p.writePredictionsOf(v, predictionGroup{Name: d.DatasetName, Path: "/datasets/" + key, Models: names}, list, "--dataset "+api.ShortKey(key))
}

func (p *Pages) listPredictionsOfModel(v *visit, key string) error {
	ctx, in := v.r.Context(), api.ModelPageInput{ModelInput: api.ModelInput{ModelKey: key}, PageInput: pageInput(v.r)}
	model, err := client.Call(ctx, v.client, api.GetModel, &in.ModelInput)
	if err != nil {
		return err
	}
	d, err := client.Call(ctx, v.client, api.GetDataset, &api.DatasetInput{DatasetKey: model.DatasetKey})
	if err != nil {
		return err
	}
	list, err := client.Call(ctx, v.client, api.ListPredictionsOfModel, &in)
	if err != nil {
		return err
	}
	name := report.ModelName(model, d)
	return p.writePredictionsOf(v, predictionGroup{Name: name, Path: "/models/" + key, Models: map[string]string{key: name}}, list, "--model "+term.ShellQuote(name))
}

// writePredictionsOf shows a page of the predictions of a dataset or a model. flag is the flag of
// `foretell predictions list` for the same list.
func (p *Pages) writePredictionsOf(v *visit, group predictionGroup, list *api.PredictionPage, flag string) error {
	if last := v.lastPage(list.Page); last != "" {
		return v.redirect(last)
	}
	group.Predictions, group.Total = list.Predictions, list.Total
	data := predictionsPage{Name: group.Name, Pager: newPager(v.r.URL, list.Page, len(list.Predictions))}
	data.add(group)
	return p.writePredictions(v, data, "foretell predictions list "+flag)
}

func (p *Pages) writePredictions(v *visit, data predictionsPage, command string) error {
	return p.show(v, http.StatusOK, "predictions", page{Title: "Predictions", Section: "predictions", Commands: []string{command}, Data: data})
}

// add appends a group if the group has predictions. Otherwise it does nothing.
func (d *predictionsPage) add(group predictionGroup) {
	if len(group.Predictions) == 0 {
		return
	}
	d.Groups = append(d.Groups, group)
	for i := range group.Predictions {
		d.IsBusy = d.IsBusy || isPredicting(group.Predictions[i].Status)
	}
}
