// Package mixture fits the weights of a mixture of classifiers: the weighted mean of
// their class probabilities.
package mixture

import (
	"math"
	"slices"

	"foretell/internal/learn/split"
)

// minProbability replaces smaller probabilities of a row's true class. Without it, a probability of
// 0 for a single row would exclude a candidate.
const minProbability = 1e-7

// Parameters of FitWeights.
const (
	// priorRows is the weight of the uniform prior: the prior counts as this number of rows for
	// each candidate. The prior prevents a few rows from excluding a candidate. With a larger
	// prior, good candidates lose too much weight to bad candidates; see docs/experiments.md, "A
	// weaker prior".
	priorRows = 0.5
	// minWeight is the smallest weight of a component. With a smaller weight, a component
	// would not be worth the time of its predictions.
	minWeight = 0.04
	// maxEqualRatio determines whether candidates agree on a row: their largest probability of the
	// true class must be at most maxEqualRatio times the smallest.
	maxEqualRatio = 1.001
	// The iterations end when no weight changes by minWeightChange or more, or after
	// maxIterations. The weights are fitted to at most maxWeightRows rows, enough to
	// determine each weight to within 0.01.
	minWeightChange = 1e-5
	maxIterations   = 1000
	maxWeightRows   = 10_000
)

// FitWeights returns weights with which the mixture has a low log loss on the rows at the given
// positions. trueProbabilities holds, for each candidate, the probability of each row's true class.
// The weights are at least 0 and add up to 1.
//
// The weights minimise the sum of the log loss and a prior, by expectation maximisation (Dempster,
// Laird and Rubin, 1977). An iteration divides each row among the candidates in proportion to
// weight · probability. The next weight of a candidate is its share of all rows, to which priorRows
// rows are added for each candidate. The sum is strictly convex, so the solution is unique.
//
// Rows on which the candidates agree are left out, because they do not change the solution but slow
// down convergence. At the end, weights below minWeight are set to 0.
func FitWeights(trueProbabilities [][]float64, positions []int32) []float64 {
	positions = split.Subsample(disagreeingRows(trueProbabilities, positions), maxWeightRows)
	weights, _ := maximisePosterior(trueProbabilities, positions)
	return zeroSmallAndNormalize(weights)
}

// maximisePosterior returns the weights that minimise the sum of the log loss and the prior, and
// the number of iterations. Its arguments mean the same as the arguments of FitWeights.
func maximisePosterior(trueProbabilities [][]float64, positions []int32) (weights []float64, iterations int) {
	weights = slices.Repeat([]float64{1 / float64(len(trueProbabilities))}, len(trueProbabilities))
	shares := make([]float64, len(trueProbabilities))
	for iterations < maxIterations {
		iterations++
		for i := range shares {
			shares[i] = priorRows
		}
		for _, position := range positions {
			sum := 0.0
			for i, truth := range trueProbabilities {
				sum += weights[i] * max(truth[position], minProbability)
			}
			scale := 1 / sum
			for i, truth := range trueProbabilities {
				shares[i] += weights[i] * max(truth[position], minProbability) * scale
			}
		}
		change := 0.0
		for i, share := range shares {
			next := share / (float64(len(positions)) + priorRows*float64(len(trueProbabilities)))
			change = max(change, math.Abs(next-weights[i]))
			weights[i] = next
		}
		if change < minWeightChange {
			break
		}
	}
	return weights, iterations
}

// disagreeingRows returns the positions of the rows for which the candidates predict
// different probabilities of the true class; see maxEqualRatio.
func disagreeingRows(trueProbabilities [][]float64, positions []int32) []int32 {
	var list []int32
	for _, position := range positions {
		low, high := math.Inf(1), 0.0
		for _, truth := range trueProbabilities {
			q := max(truth[position], minProbability)
			low, high = min(low, q), max(high, q)
		}
		if high > low*maxEqualRatio {
			list = append(list, position)
		}
	}
	return list
}

// zeroSmallAndNormalize sets weights below minWeight to 0 and divides the remaining weights by
// their sum.
func zeroSmallAndNormalize(weights []float64) []float64 {
	total := 0.0
	for i, w := range weights {
		if w < minWeight {
			weights[i] = 0
		}
		total += weights[i]
	}
	for i := range weights {
		weights[i] /= total
	}
	return weights
}
