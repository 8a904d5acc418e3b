// Package evaluation scores the probabilities of models. An [Evaluator] scores,
// calibrates and mixes the probabilities of the validation rows of a race. [NewScores]
// and [NewClassScores] compute the metrics of a report for any rows.
package evaluation
