package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/scoring"
	"foretell/internal/term"
)

type modelsDiffOptions struct {
	service serviceFlags
	output  output
}

func newModelsDiffCmd(f *factory) *cobra.Command {
	opts := &modelsDiffOptions{service: serviceFlags{idle: true}}
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Compare two models: scores with intervals, options, data, importances",
		Long: `Shows two models side by side: their test scores with 95 % intervals, their
training options and data, and the importance of each column. Where the intervals
overlap, the difference may be chance. To compare two models on the same rows,
predict them with both models and use ` + "`foretell predictions diff A.csv B.csv --answers FILE`" + `.`,
		Example: `  foretell models diff train@v1 train@champion`,
		Args:    positionalArgs("A", "B"),
		RunE:    func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.bind(cmd, f)
	opts.output.bindList(cmd, f, resultType[comparison]())
	cmd.ValidArgsFunction = opts.service.completeReference(modelNames)
	return cmd
}

// comparison is one property of two models.
type comparison struct {
	Name string `json:"name"`
	A    any    `json:"a"`
	B    any    `json:"b"`
	// LowA to HighB are the 95 % intervals of scores; nil if there is none.
	LowA  *float64 `json:"lowA,omitempty"`
	HighA *float64 `json:"highA,omitempty"`
	LowB  *float64 `json:"lowB,omitempty"`
	HighB *float64 `json:"highB,omitempty"`
}

func (o *modelsDiffOptions) run(ctx context.Context, refs []string) error {
	session, err := o.service.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	var both [2]*leaderboardEntry
	for i, ref := range refs {
		if both[i], err = session.findEntry(ctx, ref); err != nil {
			return err
		}
	}
	rows := compareModels(both[0], both[1])
	if o.output.json || o.output.quiet || len(o.output.fields) > 0 {
		return printList(&o.output, rows, "name")
	}
	t := &term.Table{Header: textCells("", both[0].Model, both[1].Model), NoTruncate: true}
	for _, row := range rows {
		if row.Name == "algorithm" {
			row.A, row.B = api.AlgorithmTitle(both[0].Algorithm), api.AlgorithmTitle(both[1].Algorithm)
		}
		t.Rows = append(t.Rows, []term.Cell{{Text: row.Name}, comparedCell(row.A, row.LowA, row.HighA), comparedCell(row.B, row.LowB, row.HighB)})
	}
	return o.output.writeTable(t, true)
}

// findEntry resolves ref and loads the model's scores.
func (c *session) findEntry(ctx context.Context, ref string) (*leaderboardEntry, error) {
	key, err := c.modelKey(ctx, ref)
	if err != nil {
		return nil, err
	}
	model, err := client.Call(ctx, c.Client, api.GetModel, &api.ModelInput{ModelKey: key})
	if err != nil {
		return nil, err
	}
	dataset, err := client.Call(ctx, c.Client, api.GetDataset, &api.DatasetInput{DatasetKey: model.DatasetKey})
	if err != nil {
		return nil, err
	}
	m := &client.SeriesModel{DatasetKey: dataset.DatasetKey, DatasetName: dataset.DatasetName, ModelEntry: api.ModelEntry{
		ModelKey: key, Version: model.Version, AchievedPerformance: model.AchievedPerformance, Algorithm: model.Algorithm,
		Champion: model.Champion, CreatedOn: model.CreatedOn, ModelExtensions: model.ModelExtensions,
	}}
	m.Series, m.SeriesVersion = cmp.Or(m.Series, dataset.DatasetName), cmp.Or(m.SeriesVersion, m.Version)
	return c.loadEntry(ctx, m, api.MetricAccuracy)
}

// compareModels returns the properties of two models.
func compareModels(a, b *leaderboardEntry) []comparison {
	rows := []comparison{{Name: "modelKey", A: a.ModelKey, B: b.ModelKey}, {Name: "algorithm", A: a.Algorithm, B: b.Algorithm}}
	for _, metric := range scoring.Metrics {
		a.setMetric(metric)
		b.setMetric(metric)
		rows = append(rows, comparison{
			Name: "test " + metric, A: anyOrNil(a.Test), B: anyOrNil(b.Test), LowA: a.Low, HighA: a.High, LowB: b.Low, HighB: b.High,
		})
	}
	rows = append(rows,
		comparison{Name: "test rows", A: a.TestRows, B: b.TestRows},
		comparison{Name: "labelled rows", A: a.Rows, B: b.Rows},
		comparison{Name: "dataset", A: a.job.DatasetName, B: b.job.DatasetName},
		comparison{Name: "options", A: a.Options, B: b.Options},
		comparison{Name: "seconds", A: anyOrNil(a.Seconds), B: anyOrNil(b.Seconds)},
		comparison{Name: "createdOn", A: a.CreatedOn, B: b.CreatedOn},
	)
	for _, column := range importantColumns(a, b) {
		rows = append(rows, comparison{Name: "importance " + column, A: anyOrNil(a.importance(column)), B: anyOrNil(b.importance(column))})
	}
	return rows
}

// anyOrNil returns *p, or nil if p is nil, so that JSON has null.
func anyOrNil(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}

// importantColumns returns the most important columns of the models.
func importantColumns(models ...*leaderboardEntry) []string {
	const most = 10
	var names []string
	for _, m := range models {
		if m.report == nil {
			continue
		}
		for _, i := range m.report.Importances[:min(most, len(m.report.Importances))] {
			if !slices.Contains(names, i.Column) {
				names = append(names, i.Column)
			}
		}
	}
	return names
}

// importance returns the importance of a column; nil if unknown.
func (s *leaderboardEntry) importance(column string) *float64 {
	if s.report == nil {
		return nil
	}
	for _, i := range s.report.Importances {
		if i.Column == column {
			return &i.Importance
		}
	}
	return nil
}

// comparedCell formats a property with its interval.
func comparedCell(v any, low, high *float64) term.Cell {
	switch v := v.(type) {
	case nil:
		return term.Cell{Text: "-"}
	case float64:
		text := strconv.FormatFloat(v, 'f', 4, 64)
		if low != nil && high != nil {
			text += fmt.Sprintf(" (%.4f–%.4f)", *low, *high)
		}
		return term.Cell{Text: text}
	}
	return term.Cell{Text: fmt.Sprint(v)}
}
