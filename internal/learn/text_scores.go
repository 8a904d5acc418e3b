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

// textModels computes numeric features, the scores, from the texts of a row.
type textModels struct {
	columns []int32 // the texts of the schema, ascending
	models  []*text.Model
	memos   []*scoreMemo // by model; nil if scores are not remembered
}

// The training rows of a fold are divided into textParts parts, or into manyTextParts from
// manyTextRows rows on. The texts of a part are scored by a model trained on the other
// parts. With many rows, fewer parts make this model hardly less accurate.
const (
	textParts     = 5
	manyTextParts = 3
	manyTextRows  = 50_000
)

// textSeed distinguishes the random numbers that divide texts into parts from other random
// numbers.
const textSeed = 0x7e875

// textColumns returns the columns of the schema that are texts, ascending.
func (t *trainingData) textColumns() []int32 { return columnsOfKind(t.Schema, true) }

// plainColumns returns the columns of the schema that are not texts, ascending.
func (t *trainingData) plainColumns() []int32 { return columnsOfKind(t.Schema, false) }

// columnsOfKind returns the columns of the schema that are texts or, if texts is false,
// the columns that are not texts.
func columnsOfKind(schema *frame.Schema, texts bool) []int32 {
	var columns []int32
	for i := range schema.Columns {
		if (schema.Columns[i].Kind == frame.Text) == texts {
			columns = append(columns, int32(i))
		}
	}
	return columns
}

// addTextScores appends the scores of texts to f, which holds the other features of a
// fold. rows are the fold's training rows. They are scored by models that were not trained
// on them. Other rows are scored by the returned models, which were trained on all
// training rows. The models are nil if there are no texts.
func (t *trainingData) addTextScores(ctx context.Context, f *frame.Frame, foldIndex int, rows []int32) (*textModels, error) {
	m := &textModels{columns: t.textColumns()}
	if len(m.columns) == 0 {
		return nil, nil
	}
	task := text.Task{
		Labels: t.Labels, Classes: t.classes(), Rows: rows, NumParts: textParts, Workers: t.params.Workers,
		Seed: rng.Derive(t.params.Seed^textSeed, foldIndex-refitFold),
	}
	if len(rows) >= manyTextRows {
		task.NumParts = manyTextParts
	}
	task.Parts = t.divideTexts(rows, task.NumParts, task.Seed)
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
	t.textTimer.add(textDurations{reading: read.Sub(began), training: t.params.clock().Sub(read), rows: len(rows)})
	return m, nil
}

// readTexts appends to t.corpora the corpus of each column that has none yet.
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

// divideTexts returns the part of each row, from 0 to parts-1. Rows of a group are in the
// same part. If rows have times, the parts are ranges of time (Bergmeir & Benítez, On the
// use of cross-validation for time series predictor evaluation, 2012). If rows have no
// times, or all have the same time, the parts are stratified by class.
func (t *trainingData) divideTexts(rows []int32, parts int, seed uint64) []int {
	if t.params.Times != nil {
		if list := t.divideByTime(rows, parts); list != nil {
			return list
		}
	}
	partOf := make(map[int32]int, len(rows))
	sample := split.Sample{Labels: t.Labels, Classes: t.classes(), Groups: t.params.Groups, Rows: rows}
	for part, fold := range split.Folds(sample, parts, seed) {
		for _, row := range fold.Validation {
			partOf[row] = part
		}
	}
	list := make([]int, len(rows))
	for i, row := range rows {
		part, known := partOf[row]
		if !known { // no fold has the row, because its class has only this row or the rows of this group
			part = i % parts
			if t.params.Groups != nil && t.params.Groups[row] >= 0 {
				part = int(t.params.Groups[row]) % parts
			}
		}
		list[i] = part
	}
	return list
}

// appendScores appends the scores of the texts of f to dst, whose first row is row lo of
// f.
func (m *textModels) appendScores(dst, f *frame.Frame, lo int) {
	for i, column := range m.columns {
		first, k := len(dst.Columns), m.models[i].Features()
		for range k {
			dst.Columns = append(dst.Columns, frame.Column{Floats: make([]float64, dst.Rows)})
		}
		scorer, one := m.models[i].NewScorer(), make([]float32, k)
		var memo *scoreMemo
		if m.memos != nil {
			memo = m.memos[i]
		}
		for row, cell := range f.Columns[column].Texts[lo : lo+dst.Rows] {
			memo.score(one, cell, scorer.Score)
			for at, score := range one {
				dst.Columns[first+at].Floats[row] = float64(score)
			}
		}
	}
}

// appendSources appends to columns, for each score, the column of the schema that it is
// computed from.
func (m *textModels) appendSources(columns []int32) []int32 {
	columns = slices.Clip(columns)
	for i, column := range m.columns {
		columns = append(columns, slices.Repeat([]int32{column}, m.models[i].Features())...)
	}
	return columns
}
