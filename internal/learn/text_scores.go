package learn

import (
	"context"
	"fmt"

	"foretell/internal/learn/rng"
	"foretell/internal/learn/split"
	"foretell/internal/learn/text"
	"foretell/internal/table/frame"
)

// textSeed makes the random numbers for cross-fitting texts different from other random numbers of
// the race.
const textSeed = 0x7e875

// addTextScores trains text models and appends their scores to f, which holds the other features of
// a fold. rows are the training rows of the fold. Each training row is scored by a model that was
// not trained on this row. All other rows are scored by the returned models, one for each text
// column, which were trained on all training rows.
func (t *trainingData) addTextScores(ctx context.Context, f *frame.Frame, foldIndex int, rows []int32) (models []*text.Model, err error) {
	columns := t.Schema.TextColumns()
	if len(columns) == 0 {
		return nil, nil
	}
	task := text.Task{
		Labels: t.Labels, Classes: t.classes(), Rows: rows, NumParts: text.NumCrossFitFolds(len(rows)), Workers: t.params.Workers,
		Seed: rng.Derive(t.params.Seed^textSeed, foldIndex-refitFold),
	}
	sample := split.Sample{Labels: t.Labels, Classes: t.classes(), Groups: t.params.Groups, Times: t.params.Times, Rows: rows}
	task.Parts = split.AssignCrossFitFolds(sample, task.NumParts, task.Seed)
	began := t.params.clock()
	if err := t.readTexts(ctx, columns); err != nil {
		return nil, err
	}
	read := t.params.clock()
	for i, column := range columns {
		one, scores, err := t.corpora[i].CrossFit(ctx, t.Columns[column].Texts, task)
		if err != nil {
			return nil, err
		}
		models = append(models, one)
		for k, values := range scores {
			f.Columns = append(f.Columns, frame.Column{Floats: values})
			name := fmt.Sprintf("%s.score.%d", t.Schema.Columns[column].Name, k+1)
			f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: name, Kind: frame.Numeric})
		}
	}
	t.textTimer.Add(text.Durations{Reading: read.Sub(began), Training: t.params.clock().Sub(read), Rows: len(rows)})
	return models, nil
}

// readTexts adds the corpora of the given text columns to t.corpora. It skips columns that it has
// already read.
func (t *trainingData) readTexts(ctx context.Context, columns []int32) error {
	for _, column := range columns[len(t.corpora):] {
		corpus, err := text.NewCorpus(ctx, t.Columns[column].Texts, t.classes(), t.params.Workers)
		if err != nil {
			return err
		}
		t.corpora = append(t.corpora, corpus)
	}
	return nil
}
