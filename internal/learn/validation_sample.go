package learn

import "foretell/internal/table/frame"

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
	ends    []int // the end of each fold's rows
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
	return sample
}

// eachFold calls do with the model of each fold, which was not trained on rows
// lo…hi-1 of the sample. Only one model is in memory at a time.
func (s *validationSample) eachFold(c *candidate, do func(fold *Model, lo, hi int) error) error {
	lo := 0
	for i, hi := range s.ends {
		fold, err := c.newFoldModel(s.model, i)
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
