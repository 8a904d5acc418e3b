package learn

import (
	"context"
	"fmt"
	"slices"

	"foretell/internal/learn/rng"
	"foretell/internal/learn/split"
	"foretell/internal/learn/text"
	"foretell/internal/table/frame"
)

// textModels computes numeric features from the texts of a row. These features are called
// scores.
type textModels struct {
	columns []int32 // indices of the columns of texts in the schema, ascending
	models  []*text.Model
	memos   []*text.Memo // by model; nil if scores are not remembered
}

// textSeed distinguishes the random numbers with which texts are cross-fitted from other
// random numbers.
const textSeed = 0x7e875

// addTextScores appends the scores of texts to f, which holds the other features of a
// fold. rows are the training rows of the fold. Each training row is scored by a model
// that was not trained on it. The other rows are scored by the returned models, which
// were trained on all training rows. addTextScores returns nil if there are no texts.
func (t *trainingData) addTextScores(ctx context.Context, f *frame.Frame, foldIndex int, rows []int32) (*textModels, error) {
	m := &textModels{columns: t.Schema.TextColumns()}
	if len(m.columns) == 0 {
		return nil, nil
	}
	task := text.Task{
		Labels: t.Labels, Classes: t.classes(), Rows: rows, NumParts: text.NumParts(len(rows)), Workers: t.params.Workers,
		Seed: rng.Derive(t.params.Seed^textSeed, foldIndex-refitFold),
	}
	sample := split.Sample{Labels: t.Labels, Classes: t.classes(), Groups: t.params.Groups, Times: t.params.Times, Rows: rows}
	task.Parts = split.AssignParts(sample, task.NumParts, task.Seed)
	began := t.params.clock()
	if err := t.readTexts(ctx, m.columns); err != nil {
		return nil, err
	}
	read := t.params.clock()
	for i, column := range m.columns {
		model, scores, err := t.corpora[i].CrossFit(ctx, t.Columns[column].Texts, task)
		if err != nil {
			return nil, err
		}
		m.models = append(m.models, model)
		for k, values := range scores {
			f.Columns = append(f.Columns, frame.Column{Floats: values})
			name := fmt.Sprintf("%s.score.%d", t.Schema.Columns[column].Name, k+1)
			f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: name, Kind: frame.Numeric})
		}
	}
	t.textTimer.Add(text.Durations{Reading: read.Sub(began), Training: t.params.clock().Sub(read), Rows: len(rows)})
	return m, nil
}

// readTexts adds the corpora of the given columns of texts to t.corpora. It skips columns
// that it has already read.
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

// appendScores appends columns with the scores of f's texts to dst. The rows of dst are
// those of f from row lo on.
func (m *textModels) appendScores(dst, f *frame.Frame, lo int) {
	for i, column := range m.columns {
		first, k := len(dst.Columns), m.models[i].Features()
		for range k {
			dst.Columns = append(dst.Columns, frame.Column{Floats: make([]float64, dst.Rows)})
		}
		scorer, one := m.models[i].NewScorer(), make([]float32, k)
		var memo *text.Memo
		if m.memos != nil {
			memo = m.memos[i]
		}
		for row, cell := range f.Columns[column].Texts[lo : lo+dst.Rows] {
			memo.Score(scorer, one, cell)
			for at, score := range one {
				dst.Columns[first+at].Floats[row] = float64(score)
			}
		}
	}
}

// appendSources appends one element to columns for each score: the column of the schema
// from which the score is computed.
func (m *textModels) appendSources(columns []int32) []int32 {
	columns = slices.Clip(columns)
	for i, column := range m.columns {
		columns = append(columns, slices.Repeat([]int32{column}, m.models[i].Features())...)
	}
	return columns
}
