package metric

import (
	"context"
	"math"
	"math/rand/v2"
)

// bootstrapSamples is the number of samples from which a standard error is estimated.
const bootstrapSamples = 200

// maxBootstrapRows limits the time of a bootstrap. If there are more rows, about this
// many of them are used, and the standard error is scaled down to the number of all rows.
const maxBootstrapRows = 5000

// bootstrapInterval returns the interval of score, which is a score of p from 0 to 1. It
// draws samples of the rows with replacement or, if p has Groups, samples of whole
// groups. It uses at most about maxRows rows of p; see maxBootstrapRows. The random
// numbers are the same in each call.
//
// newScore(p) returns a function that computes the score of a sample of p. Its argument
// describes the sample: weights[i] is the number of times that the sample contains row i.
//
// The interval is score ± Z95 standard errors. The quantiles of the samples' scores are
// not used, because a sample repeats rows. This makes scores such as the calibration
// error larger than on the rows themselves.
//
// The result is undefined if ctx is cancelled.
func bootstrapInterval(ctx context.Context, score float64, p Predictions, maxRows int, newScore func(Predictions) func(weights []float64) float64) Interval {
	if math.IsNaN(score) || len(p.Labels) < 2 {
		return unknownInterval
	}
	p, fraction := p.subsampleClusters(maxRows)
	of, clusters := p.clusters()
	if clusters < 2 {
		return unknownInterval
	}
	compute, weights, drawn := newScore(p), make([]float64, len(p.Labels)), make([]float64, clusters)
	rng := rand.New(rand.NewPCG(uint64(clusters), bootstrapSamples))
	n, sum, squares := 0.0, 0.0, 0.0
	for range bootstrapSamples {
		if ctx.Err() != nil {
			return unknownInterval
		}
		clear(drawn)
		for range drawn {
			drawn[rng.IntN(clusters)]++
		}
		for row, cluster := range of {
			weights[row] = drawn[cluster]
		}
		if value := compute(weights); !math.IsNaN(value) {
			n++
			sum += value
			squares += value * value
		}
	}
	if n < 2 {
		return unknownInterval
	}
	standardError := math.Sqrt(max(squares-sum*sum/n, 0) / (n - 1) * fraction)
	return Interval{max(score-Z95*standardError, 0), min(score+Z95*standardError, 1)}
}

// subsampleClusters returns about maxRows rows of p: all rows of every k-th cluster; see
// clusters. fraction is the fraction of the clusters that are in the sample.
func (p Predictions) subsampleClusters(maxRows int) (sample Predictions, fraction float64) {
	rows := len(p.Labels)
	if rows <= maxRows {
		return p, 1
	}
	of, clusters := p.clusters()
	kept := max(clusters*maxRows/rows, 1)
	keeps := make([]bool, clusters)
	for i := range kept {
		keeps[i*clusters/kept] = true
	}
	sample = p
	sample.Labels, sample.Probabilities, sample.Groups = nil, nil, nil
	for row, cluster := range of {
		if !keeps[cluster] {
			continue
		}
		sample.Labels = append(sample.Labels, p.Labels[row])
		sample.Probabilities = append(sample.Probabilities, p.row(row)...)
		if p.Groups != nil {
			sample.Groups = append(sample.Groups, p.Groups[row])
		}
	}
	return sample, float64(kept) / float64(clusters)
}

// calibrationErrorInterval returns the interval of CalibrationError.
func calibrationErrorInterval(ctx context.Context, p Predictions) Interval {
	return bootstrapInterval(ctx, CalibrationError(p), p, maxBootstrapRows, func(p Predictions) func(weights []float64) float64 {
		return func(weights []float64) float64 {
			return p.calibrationError(func(row int) float64 { return weights[row] })
		}
	})
}

// AveragePrecisionInterval returns the interval of AveragePrecision. It is unknown if no
// row is of the class. An error is returned only if ctx is cancelled.
func AveragePrecisionInterval(ctx context.Context, class int, p Predictions) (Interval, error) {
	return meanPrecisionInterval(ctx, AveragePrecision(class, p), []int{class}, p), ctx.Err()
}

// meanPrecisionInterval returns the interval of score, which is the mean of the average
// precisions of classes. The result is undefined if ctx is cancelled.
func meanPrecisionInterval(ctx context.Context, score float64, classes []int, p Predictions) Interval {
	rows := max(maxBootstrapRows*4/max(len(classes), 4), 500) // the time grows with rows × classes
	interval := bootstrapInterval(ctx, score, p, rows, func(p Predictions) func(weights []float64) float64 {
		rankings := make([]*ranking, len(classes))
		for i, class := range classes {
			rankings[i] = newRanking(class, p)
		}
		return func(weights []float64) float64 {
			sum, known := 0.0, 0
			for _, r := range rankings {
				if area := r.averagePrecision(func(row int32) float64 { return weights[row] }); !math.IsNaN(area) {
					sum += area
					known++
				}
			}
			return meanOrNaN(sum, known)
		}
	})
	if interval.Low < interval.High || !interval.Known() {
		return interval
	}
	// If all samples have the same score, usually 1, the bootstrap estimates a standard
	// error of 0, which is too small.
	if _, clusters := p.clusters(); p.Groups != nil {
		return clusterInterval(score, 0, clusters)
	}
	counts := newClassCounts(p)
	if len(classes) == 1 {
		counts = p.oneVsRestCounts(classes[0])
	}
	return counts.scoreInterval(score, 0)
}

// meanInterval returns the interval of a mean over n rows by the normal approximation.
// mean is the mean of value(row) over rows 0…n-1. Both ends are at least 0.
func meanInterval(mean float64, n int, value func(row int) float64) Interval {
	if n < 2 {
		return unknownInterval
	}
	squares := 0.0
	for i := range n {
		off := value(i) - mean
		squares += off * off
	}
	half := Z95 * math.Sqrt(squares/float64(n-1)/float64(n))
	return Interval{max(mean-half, 0), mean + half}
}
