package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/design"
	"foretell/internal/table/repair"
	"foretell/internal/term"
)

// rowsPerPage is the maximum number of rows of a list on one page.
const rowsPerPage = 50

// pager holds the links to the other pages of a list. A link is empty if there is no such page.
type pager struct {
	// Offset is the number of rows before this page, and Total the number of rows on all pages.
	// First and Last are the numbers of the first and the last row on this page, from 1. They
	// are 0 if the page has no rows.
	Offset, First, Last, Total int64
	Newer, Older               string
	// Noun is the word for the rows, on a page with several tables.
	Noun string
	// FirstPage and LastPage are also empty if Newer or Older leads to the same page.
	FirstPage, LastPage string
}

// newPager returns the pager of the page p of a list. address is the URL of this page,
// and shown is the number of rows on this page.
func newPager(address *url.URL, p api.Page, shown int) pager {
	out := pager{Offset: p.Offset, First: p.Offset + 1, Last: p.Offset + int64(shown), Total: p.Total}
	if shown == 0 {
		out.First, out.Last = 0, 0
	}
	if p.Offset > 0 {
		out.Newer = listAddress(address, max(0, p.Offset-p.Limit))
	}
	if p.Offset > p.Limit {
		out.FirstPage = listAddress(address, 0)
	}
	if p.NextOffset != nil {
		out.Older = listAddress(address, *p.NextOffset)
		if last := (p.Total - 1) / max(p.Limit, 1) * p.Limit; last > *p.NextOffset {
			out.LastPage = listAddress(address, last)
		}
	}
	return out
}

// listAddress returns the address of the page of a list that begins after offset rows. address is
// the URL of any page of the list.
func listAddress(address *url.URL, offset int64) string {
	query := address.Query()
	query.Del("part")
	query.Del(invitationFlash.parameter)
	query.Set("offset", strconv.FormatInt(offset, 10))
	return address.Path + "?" + query.Encode()
}

// lastPage returns the address of the last page of a list if the request is for a page p after the
// last page. Otherwise it returns "". An old link may lead to such a page after rows were deleted.
func (v *visit) lastPage(p api.Page) string {
	isRead := v.r.Method == http.MethodGet || v.r.Method == http.MethodHead
	if !isRead || p.Total == 0 || p.Offset < p.Total || p.Limit < 1 {
		return ""
	}
	return listAddress(v.r.URL, (p.Total-1)/p.Limit*p.Limit)
}

// pageInput returns the API parameters for the page of a list that begins at the query parameter
// offset. A missing or invalid offset means the first page.
func pageInput(r *http.Request) api.PageInput {
	offset, err := strconv.ParseInt(r.URL.Query().Get("offset"), 10, 64)
	if err != nil || offset < 0 {
		offset = 0
	}
	return api.PageInput{Offset: offset, Limit: rowsPerPage}
}

// datasetsPage is the data of the list of datasets.
type datasetsPage struct {
	Datasets []api.DatasetEntry
	Pager    pager
	// State is the state of the listed datasets. It is empty if datasets in all states are listed.
	State string
	// Form holds the values of a rejected upload.
	Form datasetForm
	// Columns are the columns of the chosen file. It is nil if they are unknown.
	Columns *chosenColumns
	// IsBusy reports whether a dataset of the list is being prepared.
	IsBusy bool
	// MaxUpload is the maximum size of a file in bytes. DirectUploads is set if a command can upload
	// larger files.
	MaxUpload     int64
	DirectUploads bool
}

// datasetForm holds the fields of the form to upload a dataset, except the file. Label and ID are
// the names of the columns with the label and the row IDs. If a name is empty, the column is
// chosen as on the command line. If ID is generatedID, the rows are numbered.
type datasetForm struct{ Name, Description, Series, Label, ID string }

func (p *Pages) listDatasets(v *visit) error {
	return p.writeDatasets(v, datasetForm{}, nil)
}

// datasetFields are the fields of the form to upload a dataset.
var datasetFields = []formField{{"datasetName", "name", "Name"}, {"description", "description", "Description"}, {"series", "series", "Series"}, {"label", "label", "Label"}, {"id", "id", "Row IDs"}, {"file", "file", "CSV file"}}

func (p *Pages) writeDatasets(v *visit, form datasetForm, problem *api.Problem) error {
	state := v.r.URL.Query().Get("state")
	list, err := client.Call(v.r.Context(), v.client, api.ListDatasets, &api.ListDatasetsInput{PageInput: pageInput(v.r), State: state})
	if err != nil {
		return err
	}
	if last := v.lastPage(list.Page); last != "" {
		return v.redirect(last)
	}
	data := datasetsPage{Datasets: list.Datasets.Items, State: state, Form: form, Pager: newPager(v.r.URL, list.Page, len(list.Datasets.Items)), MaxUpload: api.MaxUploadBytes, DirectUploads: p.opts.DirectUploads}
	if data.DirectUploads {
		data.MaxUpload = api.MaxAddDataBytes
	}
	for _, d := range data.Datasets {
		data.IsBusy = data.IsBusy || d.Status == api.DatasetProcessing
	}
	command := "foretell datasets list"
	if state != "" {
		command += " --state " + term.ShellQuote(state)
	}
	content := page{
		Title: "Datasets", Section: "datasets", Data: data,
		Commands: []string{command, "foretell datasets create NAME train.csv"},
	}
	content.setProblem(problem, datasetFields)
	return p.show(v, statusOf(problem), "datasets", content)
}

// columnsPerPage is the maximum number of columns of a dataset on one page.
const columnsPerPage = 100

// datasetPage is the data of the page of a dataset.
type datasetPage struct {
	Dataset *api.Dataset
	// Columns are the columns of this page.
	Columns []columnView
	Classes []classView
	// OmittedClasses is the number of classes that are not shown.
	OmittedClasses int
	Pager          pager
	// Defects are the defects of the file, if they made the dataset FAILED.
	Defects []string
	// Races and Models are the newest races and models of the dataset. NumRaces and NumModels count
	// all races and models.
	Races               []api.Training
	Models              []api.ModelEntry
	NumRaces, NumModels int64
	// IsBusy reports whether the dataset is being prepared.
	IsBusy bool
	// Blocking is an active race that has prevented the deletion of the dataset, or nil.
	Blocking *api.Training
}

// HasDefects reports whether a FAILED dataset has a file with defects, not one that exceeds the quota
// or could not be processed. The service keeps neither files with defects nor files over the quota,
// so Bytes is then 0.
func (d datasetPage) HasDefects() bool {
	return d.Dataset.Bytes == 0 && !api.IsQuotaFailure(d.Dataset.FailureReason)
}

// Series returns the series that the dataset belongs to, or "" if the series has the name of the
// dataset.
func (d datasetPage) Series() string {
	if d.Dataset.Series == d.Dataset.DatasetName {
		return ""
	}
	return d.Dataset.Series
}

// findActiveRace returns a race on a dataset that is PENDING or RUNNING, or nil if there is none.
func findActiveRace(ctx context.Context, c *client.Client, dataset string) (*api.Training, error) {
	active := client.AllPages(func(page api.PageInput) ([]api.Training, api.Page, error) {
		out, err := client.Call(ctx, c, api.ListTrainings, &api.ListTrainingsInput{PageInput: page, ParentOnly: true, ActiveOnly: true})
		if err != nil {
			return nil, api.Page{}, err
		}
		return out.TrainingJobs, out.Page, nil
	}, func(race api.Training) string { return race.TrainingJobKey })
	for race, err := range active {
		if err != nil {
			return nil, err
		}
		if race.DatasetKey == dataset {
			return &race, nil
		}
	}
	return nil, nil //nolint:nilnil // no race
}

// columnView is a column of a dataset with the bar chart of its values.
type columnView struct {
	api.Column
	// MissingShare is the share of rows without a value, as text.
	MissingShare string
	Bars         []design.Bar
}

// classView is a class with its share of the rows. Name is its label, in quotes if the label begins
// or ends with a space. Width is the width of its bar, in percent of all rows.
type classView struct {
	api.Class
	Name  string
	Share string
	Width float64
}

// maxClasses is the maximum number of classes on the page of a dataset.
const maxClasses = 30

func (p *Pages) showDataset(v *visit) error { return p.writeDataset(v, nil) }

// writeDataset shows the page of a dataset. If problem is not nil, the page says why the dataset
// was not deleted.
func (p *Pages) writeDataset(v *visit, problem *api.Problem) error {
	ctx, key := v.r.Context(), v.r.PathValue("key")
	d, err := client.Call(ctx, v.client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return err
	}
	data := datasetPage{Dataset: d, IsBusy: d.Status == api.DatasetProcessing, Defects: splitDefects(d.FailureReason)}
	address := &url.URL{Path: "/datasets/" + key, RawQuery: v.r.URL.RawQuery} // not v.r.URL, because the form to delete the dataset has another path
	data.Columns, data.Pager = columnViews(d, pageInput(v.r), address)
	data.Classes, data.OmittedClasses = classViews(d)
	if d.Status == api.DatasetCompleted {
		input := api.DatasetPageInput{DatasetInput: api.DatasetInput{DatasetKey: key}, PageInput: api.PageInput{Limit: rowsPerPage}}
		races, err := client.Call(ctx, v.client, api.ListTrainingsOfDataset, &api.ListTrainingsOfDatasetInput{DatasetPageInput: input, ParentOnly: true})
		if err != nil {
			return err
		}
		models, err := client.Call(ctx, v.client, api.ListModelsOfDataset, &input)
		if err != nil {
			return err
		}
		data.Races, data.NumRaces, data.Models, data.NumModels = races.TrainingJobs, races.Total, models.Models, models.Total
	}
	short := api.ShortKey(key) // the name of a series means its newest dataset
	commands := []string{"foretell datasets get " + short}
	switch d.Status {
	case api.DatasetPending:
		commands = append(commands, "foretell datasets upload "+short+" train.csv")
	case api.DatasetCompleted:
		commands = append(commands, "foretell training create "+short)
	}
	content := page{Title: d.DatasetName, Section: "datasets", Path: address.Path, Commands: commands}
	if problem != nil {
		content.Error = problem.Detail
		if data.Blocking, err = findActiveRace(ctx, v.client, key); err != nil {
			return err
		}
	}
	content.Data = data
	return p.show(v, statusOf(problem), "dataset", content)
}

// splitDefects splits the failure reason of a dataset into the defects of its file.
func splitDefects(reason string) []string {
	if reason == "" {
		return nil
	}
	return strings.Split(reason, "; ")
}

// columnViews returns the columns of a dataset that are on the requested page, and the links to the
// other pages of columns.
func columnViews(d *api.Dataset, in api.PageInput, address *url.URL) (views []columnView, pages pager) {
	total := int64(len(d.Columns))
	page := api.Page{Offset: min(in.Offset, max(0, total-1)), Limit: columnsPerPage}
	page.SetTotalAndNext(total)
	shown := d.Columns[min(page.Offset, total):min(page.Offset+columnsPerPage, total)]
	views = make([]columnView, len(shown))
	for i, column := range shown {
		views[i] = columnView{Column: column, MissingShare: design.FormatShare(column.Missing, d.Rows), Bars: design.DistributionBars(column.Distribution)}
	}
	return views, newPager(address, page, len(shown))
}

// classViews returns the classes that the page shows, and the number of classes that it omits.
func classViews(d *api.Dataset) (views []classView, omitted int) {
	for i, class := range d.Classes {
		if i == maxClasses {
			return views, len(d.Classes) - maxClasses
		}
		views = append(views, classView{Class: class, Name: showSpaces(class.Label), Share: design.FormatShare(class.Rows, d.Rows), Width: 100 * float64(class.Rows) / float64(max(1, d.Rows))})
	}
	return views, 0
}

// showSpaces returns a label, in quotes if it begins or ends with a space.
func showSpaces(label string) string {
	if strings.TrimSpace(label) == label {
		return label
	}
	return `"` + label + `"`
}

// createDataset creates a dataset, and uploads the file of the form to it. If the upload fails, it
// deletes the dataset, so that the visitor can send the form again.
func (p *Pages) createDataset(v *visit) error {
	form, err := readFileForm(v.r, maxFormBytes)
	if err != nil {
		return err
	}
	fields := datasetForm{Name: form.values["name"], Description: form.values["description"], Series: form.values["series"]}
	fields.setColumnsFromForm(form)
	if err := p.uploadDataset(v, form, &fields); err != nil {
		return p.writeDatasets(v, fields, p.formProblem(v, err))
	}
	return v.redirect(v.created.Path)
}

func (p *Pages) uploadDataset(v *visit, form *fileForm, fields *datasetForm) error {
	ctx := v.r.Context()
	if form.file == nil || form.fileName == "" {
		return api.NewFieldProblem("file", "choose a file")
	}
	if strings.TrimSpace(fields.Name) == "" {
		fields.Name = client.DatasetName(strings.TrimSuffix(form.fileName, ".csv"), 1)
	}
	file, err := form.convertFile(ctx, nil, func(s *fileSample) (repair.Layout, error) { return s.trainingLayout(fields) })
	if err != nil {
		return err
	}
	in := &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: fields.Name, FileName: file.Name}}
	if fields.Description != "" {
		in.Body.Description = &fields.Description
	}
	if strings.TrimSpace(fields.Series) != "" {
		in.Body.Series = &fields.Series
	}
	created, err := client.Call(ctx, v.client, api.CreateDataset, in)
	if err != nil {
		return err
	}
	dataset := createdObject{Noun: "dataset", Path: "/datasets/" + created.DatasetKey}
	if strings.HasPrefix(created.DatasetUploadInfo.UploadURL, v.client.BaseURL()+"/") {
		_, err = v.client.UploadData(ctx, created.DatasetUploadInfo, file.Source, nil)
	} else { // the upload URL belongs to an S3 store, which requires the size of the file
		_, err = v.client.AddData(ctx, created.DatasetKey, file.Source, nil)
		if api.CodeFromError(err) == api.CodeTooLarge {
			err = api.NewFieldProblem("file", "has more than %d bytes: upload it with `foretell datasets create NAME FILE`", api.MaxAddDataBytes).WithCause(err)
		}
	}
	if err = file.uploadError(err); err == nil {
		v.created = dataset
		return nil
	}
	// ctx may have ended, because the browser closed the connection.
	if _, deleteErr := client.Call(context.WithoutCancel(ctx), v.client, api.DeleteDataset, &api.DatasetInput{DatasetKey: created.DatasetKey}); deleteErr != nil {
		dataset.IsLeft = true
		v.created = dataset
		return fmt.Errorf("%w; the empty dataset could not be deleted: %w", err, deleteErr)
	}
	return err
}

func (p *Pages) deleteDataset(v *visit) error {
	_, err := client.Call(v.r.Context(), v.client, api.DeleteDataset, &api.DatasetInput{DatasetKey: v.r.PathValue("key")})
	if api.CodeFromError(err) == api.CodeWrongState {
		return p.writeDataset(v, p.formProblem(v, err))
	}
	if err != nil {
		return err
	}
	return v.redirect("/datasets")
}
