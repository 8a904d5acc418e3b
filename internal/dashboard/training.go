package dashboard

import (
	"net/http"
	"slices"
	"strconv"
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
}

// trainForm has the fields of the form to start a race, as they were typed.
type trainForm struct {
	Threshold, Metric, ClassWeights, Monotone, ScalingFactor, Minutes, Seed string
	Algorithms                                                              []string
}

// Chosen reports whether the box of an algorithm is checked. In an empty form, all boxes are.
func (f trainForm) Chosen(algorithm string) bool {
	return len(f.Algorithms) == 0 || slices.Contains(f.Algorithms, algorithm)
}

func (p *Pages) showTrainForm(v *visit) error {
	return p.writeTrainForm(v, http.StatusOK, trainForm{ScalingFactor: "0", Minutes: "60"}, "")
}

func (p *Pages) writeTrainForm(v *visit, status int, form trainForm, message string) error {
	d, err := client.Call(v.r.Context(), v.client, api.GetDataset, &api.DatasetInput{DatasetKey: v.r.PathValue("key")})
	if err != nil {
		return err
	}
	data := trainPage{Dataset: d, Form: form, Algorithms: api.Algorithms(len(d.Classes)), Metrics: trainMetrics(d)}
	return p.show(v, status, "train", page{
		Title: "Start a race", Section: "datasets", Error: message, Data: data,
		Commands: []string{"foretell training create " + term.ShellQuote(d.DatasetName)},
	})
}

// maxClassMetrics is the maximum number of classes for which the form offers metrics of single
// classes.
const maxClassMetrics = 20

// trainMetrics returns the metrics that the form offers: those over all classes and, unless there
// are too many classes, the F1 of each class.
func trainMetrics(d *api.Dataset) []string {
	metrics := api.RaceMetrics()
	if len(d.Classes) <= maxClassMetrics {
		for _, class := range d.Classes {
			metrics = append(metrics, "f1["+class.Label+"]")
		}
	}
	return metrics
}

// startTraining starts a race with the values of the form.
func (p *Pages) startTraining(v *visit) error {
	f := v.r.PostForm
	form := trainForm{
		Threshold: f.Get("threshold"), Metric: f.Get("metric"), ClassWeights: f.Get("classWeights"), Monotone: f.Get("monotone"), ScalingFactor: f.Get("scalingFactor"), Minutes: f.Get("minutes"),
		Seed: f.Get("seed"), Algorithms: f["algorithm"],
	}
	body, err := form.toRequest()
	if err == nil {
		in := &api.CreateTrainingInput{DatasetInput: api.DatasetInput{DatasetKey: v.r.PathValue("key")}, Body: *body}
		var created *api.CreatedTraining
		if created, err = v.client.CreateTraining(v.r.Context(), in); err == nil {
			return v.redirect("/training/" + created.TrainingJobKey)
		}
	}
	problem := p.formProblem(v, err)
	return p.writeTrainForm(v, problem.Status, form, problem.Detail)
}

// toRequest converts the typed values to a request. The API checks their ranges.
func (f trainForm) toRequest() (*api.NewTraining, error) {
	out := &api.NewTraining{Metric: f.Metric, PerformanceThreshold: api.NewThreshold(nil)}
	if text := strings.TrimSpace(strings.Replace(f.Threshold, ",", ".", 1)); text != "" {
		threshold, err := strconv.ParseFloat(text, 64)
		if err != nil || !api.ValidThreshold(&threshold) {
			return nil, api.NewFieldProblem("threshold", "must be a number from 0 to 1, or empty")
		}
		out.PerformanceThreshold = api.NewThreshold(&threshold)
	}
	var err error
	if out.ClassWeights, err = api.ParseClassWeights(strings.TrimSpace(f.ClassWeights)); err != nil {
		return nil, api.NewFieldProblem("class weights", "%s", err)
	}
	if out.Monotone, err = parseMonotone(f.Monotone); err != nil {
		return nil, api.NewFieldProblem("monotone columns", "%s", err)
	}
	if text := strings.TrimSpace(f.ScalingFactor); text != "" {
		factor, err := strconv.Atoi(text)
		if err != nil {
			return nil, api.NewFieldProblem("scaling factor", "must be an integer from 0 to %d", api.MaxScalingFactor)
		}
		out.ScalingFactor = factor
	}
	if text := strings.TrimSpace(f.Minutes); text != "" {
		minutes, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
		if err != nil || !(minutes*60 >= 1 && minutes <= 7*24*60) { // also rejects NaN
			return nil, api.NewFieldProblem("time limit", "must be a number of minutes, at most a week")
		}
		seconds := int(minutes * 60)
		out.TimeLimitSeconds = &seconds
	}
	if text := strings.TrimSpace(f.Seed); text != "" {
		seed, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, api.NewFieldProblem("seed", "must be an integer, or empty")
		}
		out.Seed = &seed
	}
	if len(f.Algorithms) > 0 && len(f.Algorithms) < 4 {
		out.Algorithms = f.Algorithms
	}
	return out, nil
}

// parseMonotone parses the monotone columns of a form, one a line.
func parseMonotone(text string) (api.Monotone, error) {
	var pairs []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			pairs = append(pairs, line)
		}
	}
	return api.ParseMonotone(pairs)
}

// trainingsPage is the data of the list of races.
type trainingsPage struct {
	Races  []api.Training
	Pager  pager
	IsBusy bool
}

func (p *Pages) listTrainings(v *visit) error {
	list, err := client.Call(v.r.Context(), v.client, api.ListTrainings, &api.ListTrainingsInput{PageInput: pageInput(v.r), ParentOnly: true})
	if err != nil {
		return err
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
	Plot *design.Plot
	// IsRacing reports whether the race has not ended.
	IsRacing     bool
	QueuedBehind int
}

// runView is the run of an algorithm. Style is a number from 1 to 4 that selects the colour and the
// dashes of its curve in the plot.
type runView struct {
	api.AlgorithmRun
	Style  int
	IsBest bool
}

func (p *Pages) showTraining(v *visit) error {
	ctx, key := v.r.Context(), v.r.PathValue("key")
	race, err := client.Call(ctx, v.client, api.GetTraining, &api.TrainingInput{TrainingJobKey: key})
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
	best := -1
	for i, run := range progress.Jobs {
		names, scores = append(names, api.AlgorithmTitle(run.Algorithm)), append(scores, run.Performances)
		data.Runs = append(data.Runs, runView{AlgorithmRun: run, Style: i%4 + 1})
		switch {
		case race.Algorithm != "":
			data.Runs[i].IsBest = run.Algorithm == race.Algorithm
		case run.KeptPerformance != nil && (best < 0 || *run.KeptPerformance > *data.Runs[best].KeptPerformance):
			best = i
		}
	}
	if best >= 0 {
		data.Runs[best].IsBest = true
	}
	data.Plot = htmlreport.RacePlot(race.Metric, race.TargetPerformance, names, scores)
	if !data.IsRacing {
		data.Plot.Empty = "no scores"
	}
	commands := []string{"foretell training watch " + key[:8], report.RaceCommand(race.DatasetName, race, nil)}
	if data.IsRacing {
		commands = append(commands, "foretell training cancel "+key[:8])
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
