package learn

import (
	"context"

	"foretell/internal/learn/parallel"
	"foretell/internal/table/frame"
)

// inputColumn is a column of the file with the features extracted from it.
type inputColumn struct {
	name     string
	features []int
}

// groupByColumn groups the features of a schema by the column of the file that they are
// extracted from.
func groupByColumn(schema *frame.Schema) []inputColumn {
	var list []inputColumn
	positions := make(map[string]int)
	for i := range schema.Columns {
		name := schema.Columns[i].SourceName()
		at, known := positions[name]
		if !known {
			at = len(list)
			positions[name] = at
			list = append(list, inputColumn{name: name})
		}
		list[at].features = append(list[at].features, i)
	}
	return list
}

// maxPredictions is the largest number of probabilities in memory at a time.
const maxPredictions = 1 << 22

// validationSample is a sample of the validation rows, fold by fold, on which the
// report is measured.
type validationSample struct {
	metric  string
	model   *Model
	frame   *frame.Frame
	groups  []int32 // the group of each row, negative for none; may be nil
	ends    []int   // the end of each fold's rows
	used    []bool  // by feature, whether a model may use it
	workers int
}

func (r *race) newValidationSample(m *Model, maxRows int) *validationSample {
	sample := &validationSample{metric: r.evaluator.metric, model: m, workers: r.data.params.Workers}
	var rows []int32
	for _, fold := range r.plan.Folds {
		rows = append(rows, subsample(fold.Validation, maxRows/len(r.plan.Folds))...)
		sample.ends = append(sample.ends, len(rows))
	}
	sample.frame = r.data.selectRows(rows)
	sample.groups = gather(r.data.params.Groups, rows)
	sample.used = make([]bool, len(r.data.Columns))
	columns, _ := r.data.splitByUse(groupByColumn(r.data.Schema))
	for _, column := range columns {
		for _, feature := range column.features {
			sample.used[feature] = true
		}
	}
	return sample
}

// eachFold calls do with the model of each fold, which was not trained on rows
// lo…hi-1 of the sample. Only one model is in memory at a time.
func (s *validationSample) eachFold(c *candidate, do func(fold *Model, lo, hi int) error) error {
	lo := 0
	for i, hi := range s.ends {
		fold, err := c.newFoldModel(s.model, i, len(s.ends))
		if err != nil {
			return err
		}
		if err := do(fold, lo, hi); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// substitution describes rows of a sample in which some columns have the cells of
// other rows.
type substitution struct {
	rows    []int32 // of the sample
	columns []replacedColumn
}

// replacedColumn has, for each row of a substitution, the row of donors whose
// cells replace those of a column.
type replacedColumn struct {
	features []int
	donors   *frame.Frame
	rows     []int32
}

// usedBy returns, by feature, whether the model of a fold may use it. Folds of a table
// with very many features use only those selected for them.
func (s *validationSample) usedBy(fold *Model) []bool {
	used := make([]bool, len(s.used))
	for i := range fold.members {
		_, features := unwrapFeatures(fold.members[i].predictor)
		if features == nil {
			return s.used
		}
		features.mark(used)
	}
	return used
}

// newFrame returns the rows lo…hi-1 of the substitution. Features that are not
// used have no cells.
func (s *substitution) newFrame(sample *validationSample, used []bool, lo, hi int) *frame.Frame {
	f := &frame.Frame{Schema: sample.frame.Schema, Rows: hi - lo, Columns: make([]frame.Column, len(sample.frame.Columns))}
	for feature := range used {
		if used[feature] {
			f.Columns[feature] = sample.frame.Columns[feature].Take(s.rows[lo:hi])
		}
	}
	for _, column := range s.columns {
		for _, feature := range column.features {
			f.Columns[feature] = column.donors.Columns[feature].Take(column.rows[lo:hi])
		}
	}
	return f
}

// predict returns the class probabilities of the rows of each substitution.
func (s *validationSample) predict(ctx context.Context, fold *Model, list []substitution) ([][]float32, error) {
	type block struct{ at, lo, hi int }
	var blocks []block
	classes, predictions := fold.classes(), make([][]float32, len(list))
	for at := range list {
		n := len(list[at].rows)
		predictions[at] = make([]float32, n*classes)
		for lo := 0; lo < n; lo += blockRows {
			blocks = append(blocks, block{at, lo, min(lo+blockRows, n)})
		}
	}
	used := s.usedBy(fold)
	err := parallel.ForError(s.workers, len(blocks), func(i int) error {
		b := blocks[i]
		f := list[b.at].newFrame(s, used, b.lo, b.hi)
		fold.predict(predictions[b.at][b.lo*classes:b.hi*classes], f, 0, f.Rows)
		return ctx.Err()
	})
	return predictions, err
}

// rowRange returns the numbers lo…hi-1.
func rowRange(lo, hi int) []int32 {
	rows := make([]int32, hi-lo)
	for i := range rows {
		rows[i] = int32(lo + i)
	}
	return rows
}
