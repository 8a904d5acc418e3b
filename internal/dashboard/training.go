package dashboard

import (
	"crypto/rand"
	"math"
	"net/http"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/design"
	"foretell/internal/htmlreport"
	"foretell/internal/report"
	"foretell/internal/term"
)

// trainPage is the data of the form to start a race.
type trainPage struct {
	Dataset *api.Dataset
	Form    trainForm
	// Algorithms are the codes of the algorithms for the classes of the dataset.
	Algorithms []string
	Metrics    []string
	// FormKey is a random text that is sent with the form, for sentForms.
	FormKey string
}

// ShowMore reports whether the form shows the fields that are rarely needed. It does if one of
// these fields differs from its default.
func (t trainPage) ShowMore() bool {
	f := t.Form
	return f.Seed != "" || f.ClassWeights != "" || f.Monotone != "" || len(f.Algorithms) < len(t.Algorithms)
}

// MaxScalingFactor returns the largest scaling factor.
func (trainPage) MaxScalingFactor() int { return api.MaxScalingFactor }

func (p *Pages) showTrainForm(v *visit) error {
	d, err := p.datasetOfForm(v)
	if err != nil {
		return err
	}
	return p.writeTrainForm(v, d, trainForm{ScalingFactor: "0", Minutes: "60", Algorithms: api.Algorithms(len(d.Classes))}, nil)
}

// datasetOfForm returns the dataset of a form to start a race. The path of the request contains
// the key of the dataset.
func (p *Pages) datasetOfForm(v *visit) (*api.Dataset, error) {
	return client.Call(v.r.Context(), v.client, api.GetDataset, &api.DatasetInput{DatasetKey: v.r.PathValue("key")})
}

func (p *Pages) writeTrainForm(v *visit, d *api.Dataset, form trainForm, problem *api.Problem) error {
	content := page{
		Title: "Start a race", Section: "datasets",
		Data:     trainPage{Dataset: d, Form: form, Algorithms: api.Algorithms(len(d.Classes)), Metrics: trainMetrics(d), FormKey: rand.Text()},
		Commands: []string{"foretell training create " + api.ShortKey(d.DatasetKey)},
	}
	content.setProblem(problem, trainFields)
	return p.show(v, statusOf(problem), "train", content)
}

// maxClassMetrics is the maximum number of classes for which the form offers metrics of single
// classes.
const maxClassMetrics = 20

// trainMetrics returns the metrics that the form offers: the metrics over all classes and, if there
// are at most maxClassMetrics classes, the F1 of each class.
func trainMetrics(d *api.Dataset) []string {
	metrics := api.RaceMetrics()
	if len(d.Classes) <= maxClassMetrics {
		for _, class := range d.Classes {
			metrics = append(metrics, "f1["+class.Label+"]")
		}
	}
	return metrics
}

// startTraining starts a race with the values of the form. If the same form is sent twice, the second
// request leads to the race of the first one.
func (p *Pages) startTraining(v *visit) error {
	d, err := p.datasetOfForm(v)
	if err != nil {
		return err
	}
	f := v.r.PostForm
	form := trainForm{
		Threshold: f.Get("threshold"), Metric: knownName(f.Get("metric"), trainMetrics(d)), ClassWeights: f.Get("classWeights"), Monotone: f.Get("monotone"), ScalingFactor: f.Get("scalingFactor"), Minutes: f.Get("minutes"),
		Seed: f.Get("seed"), Algorithms: f["algorithm"],
	}
	body, err := form.toRequest(d.Classes)
	if err == nil {
		in := &api.CreateTrainingInput{DatasetInput: api.DatasetInput{DatasetKey: d.DatasetKey}, Body: *body}
		var path string
		path, err = p.sentForms.once(v, func() (string, error) {
			created, err := v.client.CreateTraining(v.r.Context(), in)
			if err != nil {
				return "", err
			}
			return "/training/" + created.TrainingJobKey, nil
		})
		if err == nil {
			return v.redirect(path)
		}
	}
	return p.writeTrainForm(v, d, form, p.formProblem(v, err))
}

// trainingsPage is the data of the list of races.
type trainingsPage struct {
	Races []api.Training
	Pager pager
	// IsBusy reports whether a race on the page has not ended.
	IsBusy bool
}

func (p *Pages) listTrainings(v *visit) error {
	list, err := client.Call(v.r.Context(), v.client, api.ListTrainings, &api.ListTrainingsInput{PageInput: pageInput(v.r), ParentOnly: true})
	if err != nil {
		return err
	}
	if last := v.lastPage(list.Page); last != "" {
		return v.redirect(last)
	}
	data := trainingsPage{Races: list.TrainingJobs, Pager: newPager(v.r.URL, list.Page, len(list.TrainingJobs))}
	for _, race := range data.Races {
		data.IsBusy = data.IsBusy || isRacing(race.Status)
	}
	return p.show(v, http.StatusOK, "trainings", page{Title: "Races", Section: "training", Commands: []string{"foretell training list"}, Data: data})
}

// trainingPage is the data of the page of a race.
type trainingPage struct {
	Race *api.Training
	Runs []runView
	// Blend is nil if no blend was compared with the algorithms.
	Blend *blendView
	Plot  *design.Plot
	// IsRacing reports whether the race has not ended.
	IsRacing bool
	// QueuedBehind is the number of races that run or will begin before this race.
	QueuedBehind int
}

// runView is the training of one algorithm in a race. Style is a number from 1 to 4 that selects
// the colour and the dashes of its curve in the plot.
type runView struct {
	api.AlgorithmRun
	Style int
	// IsBest reports whether the race has chosen this algorithm or, before that, whether the
	// algorithm leads the race; see [term.Leader].
	IsBest bool
}

// blendView is the blend of a race: a model that averages the algorithms. Weights has each
// algorithm with its weight. It is empty if the blend was not kept, as in some races of earlier
// versions.
type blendView struct {
	api.Candidate
	Weights []string
}

// newBlendView returns the blend in the report of a model, or nil if the report has no blend.
func newBlendView(r *api.ModelReport) *blendView {
	if r == nil || r.Blended == nil {
		return nil
	}
	view := &blendView{Candidate: *r.Blended}
	if len(r.Blend) > 0 {
		view.Weights = strings.Split(r.FormatBlend(), ", ")
	}
	return view
}

func (p *Pages) showTraining(v *visit) error {
	ctx, key := v.r.Context(), v.r.PathValue("key")
	race, err := client.Call(ctx, v.client, api.GetTraining, &api.TrainingInput{TrainingJobKey: key})
	if api.CodeFromError(err) == api.CodeNotFound {
		return api.NewProblem(api.CodeNotFound, "there is no race %s: it may have been deleted", key).WithCause(err)
	}
	if err != nil {
		return err
	}
	if race.ParentTrainingJobKey != "" {
		return v.redirect("/training/" + race.ParentTrainingJobKey)
	}
	progress, err := client.Call(ctx, v.client, api.GetTrainingProgress, &api.TrainingProgressInput{TrainingInput: api.TrainingInput{TrainingJobKey: key}, History: true})
	if err != nil {
		return err
	}
	data := trainingPage{Race: race, IsRacing: isRacing(race.Status), QueuedBehind: progress.QueuedBehind}
	var names []string
	var scores [][]float64
	var standings []term.Standing
	for i, run := range progress.Jobs {
		names, scores = append(names, api.AlgorithmTitle(run.Algorithm)), append(scores, run.Performances)
		data.Runs = append(data.Runs, runView{AlgorithmRun: run, Style: i%4 + 1})
		data.Runs[i].IsBest = race.Algorithm != "" && run.Algorithm == race.Algorithm
		reached := race.TargetPerformance != nil && run.Status == api.TrainingCompleted
		standings = append(standings, term.Standing{HasReachedThreshold: reached, LogLoss: run.LogLoss, HighestScore: math.Inf(-1)}) // the service reports each log loss
	}
	if leader := term.Leader(standings); race.Algorithm == "" && leader >= 0 {
		data.Runs[leader].IsBest = true
	}
	data.Plot = htmlreport.RacePlot(race.Metric, race.TargetPerformance, names, scores)
	if !data.IsRacing {
		data.Plot.Empty = "no scores"
	}
	if race.ModelKey != "" {
		summary, err := v.client.ModelReportSummary(ctx, race.ModelKey)
		if err != nil {
			return err
		}
		data.Blend = newBlendView(summary)
	}
	var algorithms []string
	for _, run := range progress.Jobs {
		algorithms = append(algorithms, run.Algorithm)
	}
	commands := []string{"foretell training watch " + api.ShortKey(key), report.RaceCommand(race, nil, algorithms...)}
	if data.IsRacing {
		commands = append(commands, "foretell training cancel "+api.ShortKey(key))
	}
	return p.show(v, http.StatusOK, "training", page{Title: "Race on " + race.DatasetName, Section: "training", Commands: commands, Data: data})
}

// stopTraining stops a race. The best model so far is kept.
func (p *Pages) stopTraining(v *visit) error {
	key := v.r.PathValue("key")
	_, err := client.Call(v.r.Context(), v.client, api.CancelTraining, &api.TrainingInput{TrainingJobKey: key})
	if err != nil && api.CodeFromError(err) != api.CodeWrongState { // wrong state means that the race has already ended
		return err
	}
	return v.redirect("/training/" + key)
}

func (p *Pages) deleteTraining(v *visit) error {
	if _, err := client.Call(v.r.Context(), v.client, api.DeleteTraining, &api.TrainingInput{TrainingJobKey: v.r.PathValue("key")}); err != nil {
		return err
	}
	return v.redirect("/training")
}
