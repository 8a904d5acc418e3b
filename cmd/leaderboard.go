package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/scoring"
	"foretell/internal/term"
)

type leaderboardOptions struct {
	service serviceFlags
	output  output
	list    listFlags

	metric string
}

func newLeaderboardCmd(f *factory) *cobra.Command {
	opts := &leaderboardOptions{service: serviceFlags{idle: true}}
	cmd := &cobra.Command{
		Use: "leaderboard [NAME]", Short: "Rank the models of a series by their test scores",
		Long: `Ranks all models of a series by their score on the test rows, which no algorithm has
seen, with its 95 % interval. Models whose interval reaches the score of the best
one share its rank, marked with =: these test rows cannot separate them. NAME
defaults to the series that was trained last.

A model without a test score shows - and ranks last. A model without an interval,
such as one of another service, shares a rank only if its score is the same.`,
		Example: `  foretell leaderboard
  foretell leaderboard train --metric macroF1
  foretell leaderboard train --csv`,
		Args: positionalArgs("[NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.bind(cmd, f)
	opts.output.bindList(cmd, f, resultType[leaderboardEntry]())
	opts.output.emptyHint = firstRunHint
	opts.list.bind(cmd)
	cmd.Flags().StringVar(&opts.metric, "metric", "", "rank by this `metric`: "+strings.Join(scoring.Metrics, ", ")+" (default that of the newest race)")
	completeValues(cmd, "metric", scoring.Metrics...)
	cmd.ValidArgsFunction = opts.service.completeReference(datasetNames)
	return cmd
}

func (o *leaderboardOptions) run(ctx context.Context, args []string) error {
	if err := checkMetric(o.metric, scoring.Metrics); o.metric != "" && err != nil {
		return err
	}
	session, err := o.service.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	models, err := o.models(ctx, session, args)
	if err != nil {
		return err
	}
	if o.metric == "" && len(models) > 0 {
		newest := slices.MaxFunc(models, func(a, b client.SeriesModel) int { return cmp.Compare(a.CreatedOn, b.CreatedOn) })
		o.metric = cmp.Or(newest.Metric, api.MetricAccuracy)
	}
	rows := make([]*leaderboardEntry, len(models))
	for i := range models {
		if rows[i], err = session.loadEntry(ctx, &models[i], o.metric); err != nil {
			return err
		}
	}
	rank(rows)
	if n := o.list.limit; n > 0 {
		rows = rows[:min(len(rows), int(n))]
	}
	if o.output.json || o.output.quiet || len(o.output.fields) > 0 {
		return printList(&o.output, rows, "model")
	}
	if o.output.noteEmpty(len(rows)) {
		return nil
	}
	return o.output.writeTable(leaderboardTable(rows), true)
}

// models returns the models of the named series; by default of the series trained last.
func (o *leaderboardOptions) models(ctx context.Context, session *session, args []string) ([]client.SeriesModel, error) {
	models, err := collect(session.allModels(ctx))
	if err != nil {
		return nil, err
	}
	name := ""
	if len(args) > 0 {
		name = args[0]
	} else if len(models) > 0 {
		newest := slices.MaxFunc(models, func(a, b client.SeriesModel) int { return cmp.Compare(a.CreatedOn, b.CreatedOn) })
		name = newest.Series
		o.output.note("models of %s", name)
	}
	of := slices.DeleteFunc(models, func(m client.SeriesModel) bool {
		return m.Series != name && m.Series != client.DatasetName(name, 1) && m.DatasetName != name
	})
	if len(of) == 0 && name != "" {
		return nil, exitErrorf(ExitNotFound, "no model of %q found", name).withHint("list them with `foretell models list`")
	}
	return of, nil
}

// leaderboardEntry is a model with its scores.
type leaderboardEntry struct {
	// Rank starts at 1; Tie is set if other models have the same rank.
	Rank int  `json:"rank,omitempty"`
	Tie  bool `json:"tie"`
	// Model is the model's reference, such as train@v3.
	Model         string `json:"model"`
	ModelKey      string `json:"modelKey"`
	Algorithm     string `json:"algorithm,omitempty"`
	AlgorithmName string `json:"algorithmName,omitempty"`
	Champion      bool   `json:"champion"`
	Metric        string `json:"metric"`
	// Test is the test score with its interval; nil if it was not measured.
	Test     *float64 `json:"test"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	TestRows int64    `json:"testRows"`
	LogLoss  *float64 `json:"logLoss"` // on test rows
	Rows     int64    `json:"rows"`    // labelled
	// Seconds is the duration of the race; nil if unknown.
	Seconds *float64 `json:"seconds"`
	// Options are the flags of the race.
	Options   string `json:"options"`
	CreatedOn string `json:"createdOn"`

	report *api.ModelReport // nil where the service has no reports
	job    *api.Training
}

// loadEntry loads the training and the report of a model.
func (c *session) loadEntry(ctx context.Context, m *client.SeriesModel, metric string) (*leaderboardEntry, error) {
	s := &leaderboardEntry{
		Model: m.Series + "@v" + strconv.Itoa(m.SeriesVersion), ModelKey: m.ModelKey, Algorithm: m.Algorithm, AlgorithmName: api.AlgorithmKind(m.Algorithm), Champion: m.Champion,
		Metric: metric, CreatedOn: m.CreatedOn,
	}
	model, err := client.Call(ctx, c.Client, api.GetModel, &api.ModelInput{ModelKey: m.ModelKey})
	if err != nil {
		return nil, err
	}
	if s.job, err = client.Call(ctx, c.Client, api.GetTraining, &api.TrainingInput{TrainingJobKey: model.TrainingJobKey}); err != nil {
		return nil, err
	}
	if s.report, err = c.modelReport(ctx, m.ModelKey); err != nil {
		return nil, err
	}
	s.setMetric(metric)
	s.Options = raceOptions(s.job, s.report)
	began, errBegan := time.Parse(api.TimeLayout, s.job.StartedOn)
	ended, errEnded := time.Parse(api.TimeLayout, s.job.FinishedOn)
	if errBegan == nil && errEnded == nil {
		took := ended.Sub(began).Seconds()
		s.Seconds = &took
	}
	return s, nil
}

// setMetric sets the scores of a metric; nil if they were not measured.
func (s *leaderboardEntry) setMetric(metric string) {
	s.Test, s.Low, s.High = nil, nil, nil
	if s.report == nil {
		return
	}
	s.Rows, s.TestRows = s.report.Rows, s.report.TestRows
	if s.TestRows == 0 {
		return
	}
	if value, known := s.report.Test.Value(metric); known {
		s.Test = &value
	}
	if loss, known := s.report.Test.Value(api.MetricLogLoss); known {
		s.LogLoss = &loss
	}
	if interval := s.report.Test.Interval(metric); interval != nil {
		s.Low, s.High = &interval.Low, &interval.High
	}
}

// raceOptions returns the flags that repeat a race.
func raceOptions(job *api.Training, report *api.ModelReport) string {
	var flags []string
	add := func(format string, args ...any) { flags = append(flags, fmt.Sprintf(format, args...)) }
	if job.Metric != "" && job.Metric != api.MetricAccuracy {
		add("--metric %s", job.Metric)
	}
	if job.TargetPerformance != nil {
		add("--threshold %g", *job.TargetPerformance)
	}
	if job.ScalingFactor > 0 {
		add("--scaling-factor %d", job.ScalingFactor)
	}
	if report != nil {
		add("--seed %d", report.Seed)
		if n := len(report.Algorithms); n > 0 && n < len(api.Algorithms(len(report.Classes))) {
			var names []string
			for _, a := range report.Algorithms {
				names = append(names, a.Algorithm)
			}
			add("--algorithm %s", strings.Join(names, ","))
		}
	}
	return strings.Join(flags, " ")
}

// rank sorts the models, best first, and sets their ranks. A model whose interval reaches
// the score of the best model of a rank shares that rank.
func rank(rows []*leaderboardEntry) {
	sign := 1.0
	if len(rows) > 0 && rows[0].Metric == api.MetricLogLoss {
		sign = -1
	}
	slices.SortStableFunc(rows, func(a, b *leaderboardEntry) int {
		switch {
		case a.Test == nil || b.Test == nil:
			return cmp.Compare(boolToInt(a.Test == nil), boolToInt(b.Test == nil))
		}
		return cmp.Or(cmp.Compare(sign**b.Test, sign**a.Test), cmp.Compare(a.CreatedOn, b.CreatedOn))
	})
	var first *leaderboardEntry
	for i, row := range rows {
		switch {
		case row.Test == nil:
			return
		case first != nil && row.tiesWith(*first.Test, sign):
			row.Rank, row.Tie, first.Tie = first.Rank, true, true
		default:
			first, row.Rank = row, i+1
		}
	}
}

// tiesWith reports whether the model's interval includes value; without an interval the
// score must be equal. sign is -1 for a metric where lower is better.
func (s *leaderboardEntry) tiesWith(value, sign float64) bool {
	switch {
	case s.Low == nil || s.High == nil:
		return *s.Test == value
	case sign < 0:
		return *s.Low <= value
	}
	return *s.High >= value
}

// boolToInt returns 1 for true, so that false sorts first.
func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// leaderboardTable returns the table of ranked models.
func leaderboardTable(rows []*leaderboardEntry) *term.Table {
	t := &term.Table{Right: []bool{true, false, false, true, true, true, true, true, true, true}}
	metric := ""
	if len(rows) > 0 {
		metric = rows[0].Metric
	}
	t.Header = textCells("rank", "model", "algorithm", metric, "low", "high", "testRows", "logLoss", "rows", "time", "options")
	for _, s := range rows {
		place := "-"
		if s.Rank > 0 {
			if place = strconv.Itoa(s.Rank); s.Tie {
				place += "="
			}
		}
		name := s.Model
		if s.Champion {
			name += " *"
		}
		t.Rows = append(t.Rows, []term.Cell{
			{Text: place},
			{Text: s.Model, Display: name},
			{Text: s.Algorithm, Display: api.AlgorithmTitle(s.Algorithm), Short: s.Algorithm},
			optionalScoreCell(s.Test), optionalScoreCell(s.Low), optionalScoreCell(s.High),
			{Text: strconv.FormatInt(s.TestRows, 10)},
			optionalScoreCell(s.LogLoss),
			{Text: strconv.FormatInt(s.Rows, 10)},
			optionalSecondsCell(s.Seconds),
			{Text: s.Options},
		})
	}
	return t
}

// optionalScoreCell formats a score; nil as a dash.
func optionalScoreCell(v *float64) term.Cell {
	if v == nil {
		return term.Cell{Text: "-"}
	}
	return scoreCell(*v)
}
