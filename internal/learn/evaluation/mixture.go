package evaluation

import (
	"foretell/internal/learn/mixture"
	"foretell/internal/learn/split"
)

// Mixture is the weighted mean of the probabilities that several models predict for the validation
// rows.
type Mixture struct {
	// Weights are the weights of the models. They are fitted to all validation rows by maximum
	// likelihood.
	Weights []float64
	// Probabilities is the mean of the models' probabilities with Weights.
	Probabilities []float32
	// CrossFitted is the mean from which scores are computed. For each part of the rows, the
	// weights are fitted to the other parts.
	CrossFitted []float32
}

// Mix returns the mixture of models with fitted weights. Each element of models holds the
// class probabilities of one model, row-major.
func (e *Evaluator) Mix(models [][]float32) Mixture {
	truth := make([][]float64, len(models))
	for i, probabilities := range models {
		truth[i] = e.trueClassProbabilities(probabilities)
	}
	all := split.Range(0, len(e.Labels))
	m := Mixture{Weights: mixture.FitWeights(truth, all), Probabilities: make([]float32, len(models[0])), CrossFitted: make([]float32, len(models[0]))}
	e.averageProbabilities(m.Probabilities, models, m.Weights, all)
	for _, part := range e.parts {
		e.averageProbabilities(m.CrossFitted, models, mixture.FitWeights(truth, part.others), part.rows)
	}
	return m
}

// trueClassProbabilities returns the probability of the true class of each row.
func (e *Evaluator) trueClassProbabilities(probabilities []float32) []float64 {
	list := make([]float64, len(e.Labels))
	for i, label := range e.Labels {
		list[i] = float64(probabilities[i*e.Classes+int(label)])
	}
	return list
}

// averageProbabilities adds the weighted mean of the models' probabilities to dst, but only for the
// rows at the given positions. Before the call, these rows of dst must be 0.
func (e *Evaluator) averageProbabilities(dst []float32, models [][]float32, weights []float64, positions []int32) {
	for i, probabilities := range models {
		w := float32(weights[i])
		if w == 0 {
			continue
		}
		for _, position := range positions {
			at := int(position) * e.Classes
			for k, q := range probabilities[at : at+e.Classes] {
				dst[at+k] += float32(w * q)
			}
		}
	}
}
