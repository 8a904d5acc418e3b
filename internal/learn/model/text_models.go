package model

import (
	"slices"

	"foretell/internal/learn/text"
	"foretell/internal/table/frame"
)

// textModels computes numeric features from the texts of a row. These features are called scores:
// they are the outputs of models that predict the class from one text.
type textModels struct {
	columns []int32 // indices of the text columns in the schema, ascending
	models  []*text.Model
	memos   []*text.Memo // by model; nil if scores are not remembered
}

// appendScores computes the scores of dst.Rows rows of f, from row lo on, and appends them to dst
// as columns.
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
