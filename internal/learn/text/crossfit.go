package text

import (
	"context"
	"slices"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/rng"
)

// Task describes the rows and labels that models are trained on.
type Task struct {
	// Labels holds the class of each row of the corpus's table, from 0 to Classes-1.
	Labels  []int32
	Classes int
	// Rows are the training rows: indices into Labels.
	Rows []int32
	// Parts[i] is the part of Rows[i], from 0 to NumParts-1. Each part is scored by a model that is
	// trained on the other parts, as in scikit-learn's cross_val_predict. NumParts must be at least
	// 2.
	Parts    []int
	NumParts int
	// Seed is the seed of the random order in which training visits the rows.
	Seed uint64
	// Workers is the number of goroutines. It does not change the result.
	Workers int
}

// MaxParts is the largest number that NumCrossFitFolds returns.
const MaxParts = 5

// NumCrossFitFolds returns the number of parts into which a task with the given number of training
// rows should be divided. To save time, there are fewer parts if there are many rows: a model is
// then accurate even if a larger part of the rows is left out.
func NumCrossFitFolds(rows int) int {
	const manyRows, partsOfMany = 50_000, 3
	if rows >= manyRows {
		return partsOfMany
	}
	return MaxParts
}

// CrossFit trains a model on all rows of a task. It returns the model and the features of all
// texts. features[i][row] is feature i of the text in row; see Model.Features. The features of a
// training row are computed by a model that was not trained on this row, and those of all other
// rows by the returned model. texts must be the texts of the corpus. CrossFit returns an error only
// if ctx is cancelled.
func (c *Corpus) CrossFit(ctx context.Context, texts []string, t Task) (m *Model, features [][]float64, err error) {
	f := newCrossFit(c, &t)
	for pass, best := 0, 0; pass < maxPasses && pass-best <= patience; pass++ {
		if err := f.runPass(ctx, pass); err != nil {
			return nil, nil, err
		}
		if loss := f.logLoss(); pass == 0 || loss < f.bestLoss {
			f.bestLoss, best = loss, pass
			f.saveAsBest()
		}
	}
	if features, err = f.features(ctx, texts); err != nil {
		return nil, nil, err
	}
	return f.model(t.NumParts), features, nil
}

// crossFit is the state of a call of CrossFit.
type crossFit struct {
	corpus *Corpus
	task   *Task
	rows   [][]int32 // the training rows of each part, and at the end the training rows of all parts
	// models holds one model for each part, trained on the other parts. The last element is a model
	// trained on all training rows.
	models   []*linearModel
	scores   [][]float32 // the scores of the training rows, by part
	bestLoss float64     // the lowest log loss so far
	// bestModels and bestScores are copies of models and scores after the pass with the lowest log
	// loss. bestModels includes the models of the parts only if some training rows are not in the
	// corpus, because these rows are scored at the end.
	bestModels []linearModel
	bestScores [][]float32
}

func newCrossFit(c *Corpus, t *Task) *crossFit {
	f := &crossFit{corpus: c, task: t, rows: make([][]int32, t.NumParts+1), bestModels: make([]linearModel, t.NumParts+1)}
	for i, row := range t.Rows {
		if c.contains(row) {
			f.rows[t.Parts[i]] = append(f.rows[t.Parts[i]], row)
			f.rows[t.NumParts] = append(f.rows[t.NumParts], row)
		}
	}
	k := numOutputs(t.Classes)
	for part := range t.NumParts {
		f.scores = append(f.scores, make([]float32, len(f.rows[part])*k))
		f.bestScores = append(f.bestScores, make([]float32, len(f.rows[part])*k))
	}
	for part := range f.rows {
		f.models = append(f.models, newLinearModel(len(c.vocabulary.buckets), t.Classes, t.Labels, f.trainingRows(part)))
	}
	return f
}

// trainingRows returns the rows that the model of a part is trained on. If part is
// NumParts, these are all training rows.
func (f *crossFit) trainingRows(part int) []int32 {
	if part == f.task.NumParts {
		return f.rows[part]
	}
	var rows []int32
	for other := range f.task.NumParts {
		if other != part {
			rows = append(rows, f.rows[other]...)
		}
	}
	return rows
}

// runPass trains each model for one more pass over its training rows. It then scores the
// training rows of each part with the model of the part.
func (f *crossFit) runPass(ctx context.Context, pass int) error {
	k := numOutputs(f.task.Classes)
	return parallel.ForContext(ctx, f.task.Workers, len(f.models), func(_, i int) {
		// The model of all rows takes longest, so it begins first.
		part := len(f.models) - 1 - i
		m := f.models[part]
		m.runPass(ctx, f.corpus, f.task.Labels, f.trainingRows(part), pass, rng.Derive(f.task.Seed, part))
		if part == f.task.NumParts {
			return
		}
		for i, row := range f.rows[part] {
			f.corpus.fillVector(&m.scratch, row)
			m.score(f.scores[part][i*k:(i+1)*k], &m.scratch)
		}
	})
}

// logLoss returns the sum of the log losses of all training rows whose texts are in the corpus.
func (f *crossFit) logLoss() float64 {
	sum, k := 0.0, numOutputs(f.task.Classes)
	for part, scores := range f.scores {
		for i, row := range f.rows[part] {
			sum += logLoss(scores[i*k:(i+1)*k], int(f.task.Labels[row]))
		}
	}
	return sum
}

// saveAsBest copies the current models and scores to bestModels and bestScores.
func (f *crossFit) saveAsBest() {
	for part, m := range f.models {
		if part == f.task.NumParts || f.corpus.stride > 1 {
			f.bestModels[part].bias = append(f.bestModels[part].bias[:0], m.bias...)
			f.bestModels[part].weights = append(f.bestModels[part].weights[:0], m.weights...)
		}
	}
	for part, scores := range f.scores {
		copy(f.bestScores[part], scores)
	}
}

// model returns the best model of a part, or of all training rows if part is NumParts.
func (f *crossFit) model(part int) *Model {
	return newModel(f.corpus.vocabulary, f.task.Classes, f.bestModels[part].bias, f.bestModels[part].weights)
}

// features returns the features of all texts; see CrossFit.
func (f *crossFit) features(ctx context.Context, texts []string) ([][]float64, error) {
	models := make([]*Model, f.task.NumParts+1)
	for part := range models {
		models[part] = f.model(part)
	}
	whole := models[f.task.NumParts]
	features := make([][]float64, whole.Features())
	for i := range features {
		features[i] = make([]float64, len(texts))
	}
	scoredBy := slices.Repeat([]*Model{whole}, len(texts)) // the model that scores each text; nil if the scores are known
	for i, row := range f.task.Rows {
		if scoredBy[row] = models[f.task.Parts[i]]; f.corpus.contains(row) {
			scoredBy[row] = nil
		}
	}
	blocks := (len(texts) + blockTexts - 1) / blockTexts
	err := parallel.ForContext(ctx, f.task.Workers, blocks, func(_, block int) {
		s, one := whole.NewScorer(), make([]float32, whole.Features())
		for row := block * blockTexts; row < min((block+1)*blockTexts, len(texts)) && ctx.Err() == nil; row++ {
			if scoredBy[row] != nil {
				s.model = scoredBy[row] // all models have the same vocabulary
				s.Score(one, texts[row])
				setFeatures(features, row, one)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	one, k := make([]float32, whole.Features()), numOutputs(f.task.Classes)
	for part, scores := range f.bestScores {
		for i, row := range f.rows[part] {
			whole.toFeatures(one, slices.Clone(scores[i*k:(i+1)*k]))
			setFeatures(features, int(row), one)
		}
	}
	return features, nil
}

func setFeatures(features [][]float64, row int, values []float32) {
	for i, value := range values {
		features[i][row] = float64(value)
	}
}
