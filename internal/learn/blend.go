package learn

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// Blend is the name of a model that is the blend of several algorithms.
const Blend = "BLEND"

// choice is what a race ships: the model of one run, or the blend of several.
type choice struct {
	score
	// shares are the parts of the blend, the heaviest first; one of weight 1
	// if there is no blend.
	shares []share
	// probabilities are those of the validation rows, before calibration.
	probabilities []float32
	// crossed are the same of blends whose weights were found on the other half
	// of the rows; nil if there is no blend.
	crossed []float32
}

// share is a run and its weight in a blend. The weights of a blend add up to 1.
type share struct {
	*run
	weight float64
}

// alone is the choice of a single run.
func alone(u *run) *choice {
	return &choice{score: u.kept.score, shares: []share{{u, 1}}, probabilities: u.kept.probabilities}
}

// name is that of the model.
func (c *choice) name() string {
	if len(c.shares) > 1 {
		return Blend
	}
	return c.shares[0].Name
}

// judged returns the probabilities that the choice may be judged by.
func (c *choice) judged() []float32 {
	if c.crossed != nil {
		return c.crossed
	}
	return c.probabilities
}

// fold returns the model of the choice that has not seen the rows of fold i.
func (c *choice) fold(m *Model, i int) (*Model, error) {
	var members []member
	for _, s := range c.shares {
		one, err := s.fold(i)
		if err != nil {
			return nil, err
		}
		members = append(members, one)
	}
	return m.with(members...), nil
}

// folds yields the members of the mean of the choice's fold models, each made
// when it is asked for.
func (c *choice) folds() iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		for _, s := range c.shares {
			for one, err := range s.folds() {
				if !yield(one, err) {
					return
				}
			}
		}
	}
}

// reread yields copies of the members of the choice's model, each made when it
// is asked for.
func (c *choice) reread(members []member) iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		for _, m := range members {
			for _, s := range c.shares {
				if s.by.kind == m.kind && !yield(s.by.reread(m)) {
					return
				}
			}
		}
	}
}

// choose returns the winner, or else the best of the runs and of their blend;
// nil if no run has kept anything.
//
// Choices whose performance is within noise of the best are no worse as far as
// the validation rows can tell: of these the one with the lowest loss is taken,
// which uses all that a model says of a row and so tells more from the same
// rows. Two choices err on mostly the same rows, so that their difference has
// about half the variance of independent ones, which makes its standard error
// that of a single performance: this is noise.
//
// A run has to beat the blend clearly: the best of four has been lucky with
// these rows, a mean of them less so. In ten races on six sets the log loss of
// the blend on rows set aside was 17 % lower than that of the best run in the
// geometric mean: it was lower by 1 to 68 % in six, and higher by less than 1 %
// in four.
func (r *race) choose(losses func(*choice) []float64) *choice {
	if winner := r.pace.first(); winner >= 0 {
		return alone(r.runs[winner])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var choices []*choice
	best := -1.0
	for _, u := range r.runs {
		if u.kept.step > 0 && u.status != Failed {
			choices = append(choices, alone(u))
			best = max(best, u.kept.performance)
		}
	}
	blend := r.judge.blend(choices)
	if blend != nil {
		best = max(best, blend.performance)
	}
	lost := r.compare(choices, blend, losses)
	noise := math.Sqrt(best * (1 - best) / float64(max(len(r.judge.labels), 1)))
	var chosen *choice
	for _, c := range choices {
		if c.performance < best-noise {
			continue
		}
		if chosen == nil || mean(lost[c]) < mean(lost[chosen]) {
			chosen = c
		}
	}
	if blend != nil && blend.performance >= best-2*noise && (chosen == nil || !beats(lost[chosen], lost[blend])) {
		return blend
	}
	return chosen
}

// compare returns the losses of each choice and notes their means for the
// report. blend may be nil.
func (r *race) compare(choices []*choice, blend *choice, losses func(*choice) []float64) map[*choice][]float64 {
	lost := map[*choice][]float64{}
	for _, c := range choices {
		lost[c] = losses(c)
		c.shares[0].kept.logLoss = mean(lost[c])
	}
	if blend != nil {
		lost[blend] = losses(blend)
		r.blended = &Candidate{blend.performance, mean(lost[blend]), r.judge.interval(blend.crossed)}
	}
	return lost
}

// beats tells whether the losses a are lower than the losses b of the same rows
// beyond chance, which is a standard error of their mean difference. Where few
// rows make up the loss that error is wide; what is lower by more than
// telling is taken to be so all the same.
func beats(a, b []float64) bool {
	var sum, squares float64
	for i := range a {
		d := b[i] - a[i]
		sum += d
		squares += d * d
	}
	n := float64(max(len(a), 1))
	chance := math.Sqrt(max(squares/n-sum/n*sum/n, 0) / n)
	return sum > 0 && sum/n > min(chance, telling*mean(b))
}

// telling is the part of the loss that a difference has to be to count
// whatever its standard error.
const telling = 0.05

func mean(x []float64) float64 {
	sum := 0.0
	for _, one := range x {
		sum += one
	}
	return sum / float64(max(len(x), 1))
}

// blend returns the blend of the choices, nil if it is but one of them or if
// there are no rows to find it on.
//
// Its weights are found on the rows it is to be judged on, so its score is that
// of blends whose weights were found on the other half of the rows.
func (j *judge) blend(choices []*choice) *choice {
	if len(choices) < 2 || len(j.labels) == 0 {
		return nil
	}
	truths := make([][]float64, len(choices))
	for i, c := range choices {
		truths[i] = j.truth(c.probabilities)
	}
	all := make([]int32, len(j.labels))
	for i := range all {
		all[i] = int32(i)
	}
	b := &choice{}
	weights := proportions(truths, all)
	for i, c := range choices {
		if weights[i] > 0 {
			b.shares = append(b.shares, share{c.shares[0].run, weights[i]})
		}
	}
	if len(b.shares) < 2 {
		return nil
	}
	slices.SortStableFunc(b.shares, func(a, b share) int { return cmp.Compare(b.weight, a.weight) })
	b.probabilities = make([]float32, len(j.labels)*j.classes)
	j.mix(b.probabilities, choices, weights, all)
	b.crossed = make([]float32, len(b.probabilities))
	for half, places := range j.halves {
		j.mix(b.crossed, choices, proportions(truths, j.halves[1-half]), places)
	}
	b.score = j.score(b.crossed)
	return b
}

// truth returns what the probabilities give to the true class of each row.
func (j *judge) truth(probabilities []float32) []float64 {
	list := make([]float64, len(j.labels))
	for i, label := range j.labels {
		list[i] = float64(probabilities[i*j.classes+int(label)])
	}
	return list
}

// mix writes the weighted mean of the choices' probabilities for the rows at
// the given places to dst.
func (j *judge) mix(dst []float32, choices []*choice, weights []float64, places []int32) {
	for i, c := range choices {
		w := float32(weights[i])
		if w == 0 {
			continue
		}
		for _, place := range places {
			at := int(place) * j.classes
			for k, q := range c.probabilities[at : at+j.classes] {
				dst[at+k] += w * q
			}
		}
	}
}

// How the weights of a blend are found.
const (
	// prior is a number of rows by which each candidate is said to be best
	// before any row was looked at: few rows do not shut out a candidate.
	prior = 2
	// leastWeight is what a share must have: a lighter one costs more time in
	// every prediction than it is worth.
	leastWeight = 0.04
	// alike is the ratio of what two candidates gave to the truth of a row up
	// to which the row does not tell one from the other.
	alike = 1.001
	// rounds are enough for the weights to settle to a hundredth, and so many
	// rows to tell them.
	rounds     = 1000
	enoughRows = 10_000
)

// proportions returns the weights of the blend with the lowest log loss on the
// rows at the given places; truths tells for each candidate what it gave to
// the true classes of all rows. They are nowhere negative and add up to 1.
//
// A blend is a mixture of its candidates, so the weights of the highest
// likelihood are found by expectation maximisation (Dempster, Laird and Rubin,
// 1977): each row is divided among the candidates by how well they foretold
// it, and a candidate's weight is its part of all rows. The loss is convex in
// the weights, so there is but one such blend. A row on which the candidates
// agree is divided as the weights are and so only holds them where they are:
// where nearly all rows are such, they would never get to where they belong.
func proportions(truths [][]float64, places []int32) []float64 {
	places = thin(disputed(truths, places), enoughRows)
	weights := slices.Repeat([]float64{1 / float64(len(truths))}, len(truths))
	parts := make([]float64, len(truths))
	for range rounds {
		for i := range parts {
			parts[i] = prior
		}
		for _, place := range places {
			sum := 0.0
			for i, truth := range truths {
				sum += weights[i] * max(truth[place], leastTruth)
			}
			scale := 1 / sum
			for i, truth := range truths {
				parts[i] += weights[i] * max(truth[place], leastTruth) * scale
			}
		}
		for i, part := range parts {
			weights[i] = part / (float64(len(places)) + prior*float64(len(truths)))
		}
	}
	return trimmed(weights)
}

// disputed returns the places at which the candidates do not give about the
// same to the truth.
func disputed(truths [][]float64, places []int32) []int32 {
	var list []int32
	for _, place := range places {
		low, high := math.Inf(1), 0.0
		for _, truth := range truths {
			q := max(truth[place], leastTruth)
			low, high = min(low, q), max(high, q)
		}
		if high > low*alike {
			list = append(list, place)
		}
	}
	return list
}

// trimmed drops the weights that are too light and gives the others the rest.
func trimmed(weights []float64) []float64 {
	total := 0.0
	for i, w := range weights {
		if w < leastWeight {
			weights[i] = 0
		}
		total += weights[i]
	}
	for i := range weights {
		weights[i] /= total
	}
	return weights
}

// leastTruth keeps a candidate that ruled out the truth of one row from losing
// every row.
const leastTruth = 1e-7
