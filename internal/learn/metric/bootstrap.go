package metric

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// bootstrapSamples is the number of samples from which a standard error is estimated.
const bootstrapSamples = 200

// These constants limit the time of a bootstrap. A bootstrap draws clusters of rows: groups, or
// single rows without a group. It uses at most maxBootstrapClusters of the clusters. Because a
// variance is inversely proportional to the number of clusters, it is then multiplied by the
// fraction of the clusters that are used.
//
// Some scores cannot be computed from sums by cluster. For these, the bootstrap uses only about
// maxBootstrapRows rows. These rows come from at least minBootstrapClusters clusters, because a
// variance estimated from few clusters is inaccurate.
const (
	maxBootstrapClusters = 5000
	maxBootstrapRows     = 5000
	minBootstrapClusters = 200
)

// bootstrapVariances returns the variances of scores over bootstrap samples, multiplied by
// fraction. A sample consists of clusters drawn with replacement. The random numbers depend only on
// the number of clusters.
//
// scores is the number of scores. compute sets values to the scores of a sample, NaN for an unknown
// score. drawn[c] is how often the sample contains cluster c. fraction is clusters divided by the
// number of all clusters of the predictions.
//
// Callers compute intervals from these variances and not from quantiles of the scores, because
// repeated rows make scores such as the calibration error larger on a bootstrap sample than on the
// rows themselves.
//
// A variance is 0 if the score is known for fewer than two samples. The result is undefined if ctx
// is cancelled.
func bootstrapVariances(ctx context.Context, scores, clusters int, fraction float64, compute func(values, drawn []float64)) []float64 {
	drawn, values := make([]float64, clusters), make([]float64, scores)
	n, sum, squares := make([]float64, scores), make([]float64, scores), make([]float64, scores)
	rng := rand.New(rand.NewPCG(uint64(clusters), bootstrapSamples))
	for range bootstrapSamples {
		if ctx.Err() != nil {
			break
		}
		clear(drawn)
		for range drawn {
			drawn[rng.IntN(clusters)]++
		}
		compute(values, drawn)
		for i, value := range values {
			if !math.IsNaN(value) {
				n[i]++
				sum[i] += value
				squares[i] += value * value
			}
		}
	}
	for i := range values {
		values[i] = 0
		if n[i] >= 2 {
			values[i] = max(squares[i]-sum[i]*sum[i]/n[i], 0) / (n[i] - 1) * fraction
		}
	}
	return values
}

// sampleClusters selects n of the clusters at random and numbers them from 0 to n-1. sampledOf
// holds the new number of each row's cluster, or -1 if the cluster is not selected. fraction is n
// divided by clusters. clusterOf and clusters are the results of Predictions.clusters. n must be at
// most clusters.
func sampleClusters(clusterOf []int32, clusters, n int) (sampledOf []int32, fraction float64) {
	number := slices.Repeat([]int32{-1}, clusters)
	rng, next := rand.New(rand.NewPCG(uint64(clusters), uint64(n))), 0
	for cluster := range number { // selection sampling: Knuth, The Art of Computer Programming, volume 2, section 3.4.2
		if rng.IntN(clusters-cluster) < n-next {
			number[cluster] = int32(next)
			next++
		}
	}
	sampledOf = make([]int32, len(clusterOf))
	for row, cluster := range clusterOf {
		sampledOf[row] = number[cluster]
	}
	return sampledOf, float64(n) / float64(max(clusters, 1))
}

// bootstrapRows are the rows from which the scores of bootstrap samples are computed.
type bootstrapRows struct {
	Predictions
	clusterOf []int32 // the cluster of each row
	clusters  int
	fraction  float64 // clusters divided by the number of all clusters
}

// subsampleRows returns about maxRows rows of p. The rows come from at least minBootstrapClusters
// clusters, or from all clusters if there are fewer. Of a large cluster, only a fraction of the
// rows is used, which slightly overestimates the variance of the score.
func (p Predictions) subsampleRows(maxRows int) bootstrapRows {
	of, clusters := p.clusters()
	if len(of) <= maxRows {
		return bootstrapRows{p, of, clusters, 1}
	}
	n := max(clusters*maxRows/len(of), min(clusters, minBootstrapClusters))
	sampledOf, fraction := sampleClusters(of, clusters, n)
	rows := 0
	for _, cluster := range sampledOf {
		if cluster >= 0 {
			rows++
		}
	}
	share := float64(maxRows) / float64(max(rows, 1))
	rng := rand.New(rand.NewPCG(uint64(rows), bootstrapSamples))
	sample := bootstrapRows{p, nil, n, fraction}
	sample.Labels, sample.Probabilities, sample.Groups = nil, nil, nil
	begun := make([]bool, n)
	for row, cluster := range sampledOf {
		if cluster < 0 || begun[cluster] && rng.Float64() >= share {
			continue
		}
		begun[cluster] = true // each cluster keeps at least one row
		sample.Labels = append(sample.Labels, p.Labels[row])
		sample.Probabilities = append(sample.Probabilities, p.row(row)...)
		if p.Groups != nil {
			sample.Groups = append(sample.Groups, p.Groups[row])
		}
		sample.clusterOf = append(sample.clusterOf, cluster)
	}
	return sample
}

// calibrationErrorInterval returns the interval of CalibrationError. On few rows, this error is too
// large, because random differences in the bins do not cancel out. The lower end is therefore reduced
// by the error that calibrated probabilities would have (A. Kumar, P. Liang and T. Ma, NeurIPS 2019).
// It is 0 if the error of calibrated probabilities would be as large in more than 5 % of all cases.
func calibrationErrorInterval(ctx context.Context, p Predictions) Interval {
	of, clusters := p.clusters()
	n := min(clusters, maxBootstrapClusters)
	of, fraction := sampleClusters(of, clusters, n)
	tables := make([]reliabilityTable, n)
	for row, cluster := range of {
		if cluster >= 0 {
			probability, right := p.confidence(row)
			tables[cluster].add(probability, right)
		}
	}
	score := CalibrationError(p)
	if math.IsNaN(score) || clusters < 2 {
		return unknownInterval
	}
	variances := bootstrapVariances(ctx, 1, n, fraction, func(values, drawn []float64) {
		var sum reliabilityTable
		for cluster, times := range drawn {
			if times > 0 {
				sum.addTable(&tables[cluster], times)
			}
		}
		values[0] = sum.calibrationError()
	})
	half := Z95 * math.Sqrt(variances[0]*p.bootstrapVarianceFactor())
	bias, limit := p.calibratedErrors(ctx)
	i := Interval{max(score-bias-half, 0), min(score+half, 1)}
	if score <= limit {
		i.Low = 0
	}
	return i
}

// calibratedErrors simulates labels from the probabilities of the rows, so that the probabilities are
// calibrated. It returns the mean and the 95 % quantile of the CalibrationError of bootstrapSamples
// simulations. The random numbers depend only on the number of rows. The results are undefined if ctx is
// cancelled.
func (p Predictions) calibratedErrors(ctx context.Context) (mean, limit float64) {
	confidences := make([]float64, len(p.Labels))
	for row := range confidences {
		confidences[row], _ = p.confidence(row)
	}
	rng, errors := rand.New(rand.NewPCG(uint64(len(confidences)), bootstrapSamples)), make([]float64, 0, bootstrapSamples)
	for range bootstrapSamples {
		if ctx.Err() != nil {
			return 0, 0
		}
		var t reliabilityTable
		for _, q := range confidences {
			t.add(q, rng.Float64() < q)
		}
		errors = append(errors, t.calibrationError())
		mean += errors[len(errors)-1] / bootstrapSamples
	}
	slices.Sort(errors)
	return mean, errors[bootstrapSamples*95/100-1]
}

// AveragePrecisionInterval returns the interval of AveragePrecision. It is unknown if no row, or
// every row, is of the class. AveragePrecisionInterval returns an error only if ctx is cancelled.
func AveragePrecisionInterval(ctx context.Context, class int, p Predictions) (Interval, error) {
	return meanPrecisionInterval(ctx, []int{class}, p), ctx.Err()
}

// meanPrecisionInterval returns the interval of the mean of the average precisions of classes. The
// variance for each class is estimated from bootstrap samples. Samples of few rows repeat rows and
// vary too little, so the variance for a class with few rows is raised towards the variance of a
// proportion (Boyd, Eng and Page, ECML PKDD 2013); see newProportion. Averaging over classes does
// not reduce the bias of the average precision, so the interval of several classes is extended by
// the bias; see precisionBias. The interval is unknown if most of several classes have fewer than
// two effective rows. The result is undefined if ctx is cancelled.
func meanPrecisionInterval(ctx context.Context, classes []int, p Predictions) Interval {
	effective := p.effectiveRows()
	m, rows := classMean{shared: effective.overlap, dependence: 1}, []float64{} // of the classes with rows
	known, keys, bias := []int{}, make([]uint64, len(p.Labels)), 0.0
	single := 0.0 // number of classes with fewer than two effective rows
	for _, class := range classes {
		if ctx.Err() != nil {
			return unknownInterval
		}
		if n := p.setRankKeys(keys, class); n > 0 && n < len(keys) {
			known, rows = append(known, class), append(rows, effective.of(class, n))
			m.scores = append(m.scores, proportion{value: averagePrecision(keys, nil, nil)})
			bias += precisionBias(keys)
			single += indicator(rows[len(rows)-1] < 2)
		}
	}
	n := float64(len(known))
	if n > 1 && single > n/2 {
		return unknownInterval
	}
	sample := p.subsampleRows(max(maxBootstrapRows*4/max(len(classes), 4), 500)) // the time grows with rows × classes
	if sample.clusters < 2 {
		return unknownInterval
	}
	variances, sampled := sample.precisionVariances(ctx, known, m.scores)
	if ctx.Err() != nil { // the variances are then incomplete
		return unknownInterval
	}
	factor := p.bootstrapVarianceFactor()
	for i := range variances {
		variances[i] *= factor
	}
	for i, s := range m.scores {
		m.scores[i] = newProportion(s.value, sampled[i], variances[i], rows[i], rows[i]*sample.fraction)
	}
	m.variance = variances[len(known)]
	i := m.interval()
	if n > 1 {
		i.Low = max(i.Low-bias/n, 0)
	}
	return i
}

// precisionVariances draws bootstrap samples of the rows of sample. It returns the variances of the
// average precisions of classes, followed by the variance of their mean. sampled holds the average
// precisions on all rows of sample, NaN for a class without rows. precisions holds the average
// precisions on all predicted rows; the mean uses them for classes without rows in a bootstrap
// sample. The results are undefined if ctx is cancelled.
func (sample bootstrapRows) precisionVariances(ctx context.Context, classes []int, precisions []proportion) (variances, sampled []float64) {
	// For each class, the keys of the rows and, in the same order, their clusters.
	keys, clusterOf := make([][]uint64, len(classes)), make([][]int32, len(classes))
	for i, class := range classes {
		if ctx.Err() != nil {
			break
		}
		r := newRanking(sample.Predictions)
		r.sort(class)
		keys[i], clusterOf[i] = r.keys, r.rows
		for k, row := range r.rows {
			clusterOf[i][k] = sample.clusterOf[row]
		}
		sampled = append(sampled, averagePrecision(keys[i], nil, nil))
	}
	variances = bootstrapVariances(ctx, len(classes)+1, sample.clusters, sample.fraction, func(values, drawn []float64) {
		sum := 0.0
		for i := range keys {
			if values[i] = averagePrecision(keys[i], clusterOf[i], drawn); math.IsNaN(values[i]) {
				sum += precisions[i].value
			} else {
				sum += values[i]
			}
		}
		values[len(classes)] = sum / float64(len(classes))
	})
	return variances, sampled
}
