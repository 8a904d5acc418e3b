package text

import (
	"math"

	"foretell/internal/learn/rng"
)

// maxFeatures is the largest number of features of a model.
const maxFeatures = 64

// minLogProbability is the smallest value of a feature if there are three or more
// classes. With two classes, the absolute value of the only feature is at most -minLogProbability.
const minLogProbability = -20

// Model scores the classes of a text. It is immutable and safe for concurrent use.
type Model struct {
	vocabulary *vocabulary
	classes    int
	bias       []float32
	weights    []float32 // by term, then by output
}

func newModel(v *vocabulary, classes int, bias, weights []float32) *Model {
	return &Model{vocabulary: v, classes: classes, bias: bias, weights: weights}
}

// Classes returns the number of classes.
func (m *Model) Classes() int { return m.classes }

// Features returns the number of features of a text. With two classes, there is one feature, the
// log odds of the second class. With up to maxFeatures classes, the features are the logarithms of
// the class probabilities. With more classes, each of maxFeatures features is the sum of these
// logarithms with random signs, divided by √classes (Achlioptas, Database-friendly Random
// Projections, 2003).
func (m *Model) Features() int { return NumFeatures(m.classes) }

// NumFeatures returns the number of features that a model of the given number of classes
// computes for a text.
func NumFeatures(classes int) int { return min(numOutputs(classes), maxFeatures) }

// Scorer computes the features of texts. It must not be used by several goroutines at a
// time.
type Scorer struct {
	model   *Model
	counter *termCounter
	vector  vector
	scores  []float32
}

// NewScorer returns a scorer that uses m.
func (m *Model) NewScorer() *Scorer {
	return &Scorer{model: m, counter: newTermCounter(m.vocabulary), scores: make([]float32, len(m.bias))}
}

// Score writes the features of a text to dst, which must have the length Model.Features.
func (s *Scorer) Score(dst []float32, text string) {
	m := s.model
	m.vocabulary.fillVector(&s.vector, s.counter.count(text))
	copy(s.scores, m.bias)
	addScores(s.scores, &s.vector, m.weights)
	m.toFeatures(dst, s.scores)
}

// toFeatures converts the scores of a text to features and writes them to dst; see Model.Features.
// It overwrites scratchScores, which holds the scores.
func (m *Model) toFeatures(dst, scratchScores []float32) {
	if len(scratchScores) == 1 {
		dst[0] = min(max(scratchScores[0], minLogProbability), -minLogProbability)
		return
	}
	total := float32(logSumExp(scratchScores))
	for c := range scratchScores {
		scratchScores[c] = max(scratchScores[c]-total, minLogProbability)
	}
	if len(scratchScores) <= maxFeatures {
		copy(dst, scratchScores)
		return
	}
	clear(dst)
	scale := inverseRoot(len(scratchScores))
	for c, score := range scratchScores {
		signs := rng.Mix(uint64(c) + rng.Gamma)
		for i := range dst {
			if signs>>i&1 == 0 {
				dst[i] += float32(score * scale)
			} else {
				dst[i] -= float32(score * scale)
			}
		}
	}
}

// inverseRoot returns 1/√n.
func inverseRoot(n int) float32 { return float32(1 / math.Sqrt(float64(n))) }
