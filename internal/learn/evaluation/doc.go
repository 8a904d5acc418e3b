// Package evaluation scores the probabilities of models. An [Evaluator] scores and calibrates
// those of the validation rows of a race, and mixes them. [NewScores] and [NewClassScores] compute
// the metrics of a report, on any rows.
package evaluation
