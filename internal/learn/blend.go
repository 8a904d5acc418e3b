package learn

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sort"

	"foretell/internal/learn/evaluation"
	"foretell/internal/learn/model"
	"foretell/internal/learn/split"
)

// candidate is a model that a race may choose: the model of a single run, or a blend of
// several.
type candidate struct {
	score
	// components are the runs of the candidate, in descending order of weight. A single
	// run has the weight 1.
	components []component
	// probabilities holds the class probabilities of the validation rows,
	// row-major and before calibration.
	probabilities []float32
	// crossFitted holds the probabilities from which the score of a blend is computed. For each
	// part of the validation rows, the runs are blended with weights that were fitted to the other
	// parts, so that the score is not optimistic. crossFitted is nil for a single run.
	crossFitted []float32
}

// component is a run and its weight in a blend. The weights add up to 1.
type component struct {
	*run
	weight float64
}

// newSingleCandidate returns the candidate of a single run.
func newSingleCandidate(run *run) *candidate {
	return &candidate{score: run.best.score, components: []component{{run, 1}}, probabilities: run.best.probabilities}
}

// name returns model.Blend if there are several components. Otherwise it returns the name of
// the run's algorithm.
func (c *candidate) name() string {
	if len(c.components) > 1 {
		return model.Blend
	}
	return c.components[0].Name
}

// scoredProbabilities returns the probabilities from which the candidate's score is computed:
// c.crossFitted for a blend, and c.probabilities for a single run.
func (c *candidate) scoredProbabilities() []float32 {
	if c.crossFitted != nil {
		return c.crossFitted
	}
	return c.probabilities
}

// loadFold returns the components' models of the given fold. These models were not trained on the
// validation rows of the fold. numFolds is the number of folds in the validation plan. A component
// may have merged them to fewer folds; see split.MergeFolds.
func (c *candidate) loadFold(fold, numFolds int) ([]model.Member, error) {
	var members []model.Member
	for _, part := range c.components {
		one, err := part.loadFoldMember(split.MergedFoldIndex(fold, numFolds, len(part.folds)))
		if err != nil {
			return nil, err
		}
		members = append(members, one)
	}
	return members, nil
}

// foldMembers yields the models of the folds, component by component. If Params.Times is set, it
// yields only the model of each component's last fold, because that model is trained on the latest
// rows. Each model is loaded when the iteration reaches it.
func (c *candidate) foldMembers() iter.Seq2[model.Member, error] {
	return func(yield func(model.Member, error) bool) {
		for _, part := range c.components {
			for one, err := range part.foldMembers() {
				if !yield(one, err) {
					return
				}
			}
		}
	}
}

// cloneMembers yields copies of members. Each copy is made when the iteration reaches it, so that
// not all copies are in memory at the same time; see [model.Member.Clone].
func cloneMembers(members []model.Member) iter.Seq2[model.Member, error] {
	return func(yield func(model.Member, error) bool) {
		for _, m := range members {
			if !yield(m.Clone()) {
				return
			}
		}
	}
}

// chooseCandidate returns the run that won the race; see reachesThreshold and winsWithoutThreshold.
// If no run has won, it returns the blend of the runs or, if there is no blend, the best run. It
// returns nil if no run has a checkpoint. lossFunc must return the log loss of a candidate.
// chooseCandidate returns an error if lossFunc fails or ctx is cancelled.
//
// The blend is preferred even to a run with better scores, because the scores of the best of four
// runs are too optimistic, above all with few validation rows. docs/experiments.md, "Always the
// blend", has measurements.
func (r *race) chooseCandidate(ctx context.Context, lossFunc lossFunc) (*candidate, error) {
	if winner := r.scheduler.CurrentWinner(); winner >= 0 {
		return newSingleCandidate(r.runs[winner]), nil
	}
	var candidates []*candidate
	for _, run := range r.runs {
		if run.best.step > 0 && run.status != Failed {
			candidates = append(candidates, newSingleCandidate(run))
		}
	}
	blend, err := newBlend(ctx, r.evaluator, candidates)
	if err != nil {
		return nil, err
	}
	if err := r.setLosses(ctx, candidates, blend, lossFunc); err != nil {
		return nil, err
	}
	if blend != nil {
		return blend, nil
	}
	return r.bestSingleCandidate(ctx, candidates)
}

// bestSingleCandidate returns the candidate with the lowest log loss among those whose performance
// is at most one standard error below the highest. It returns nil if there are no candidates. It
// returns an error only if ctx is cancelled.
//
// Among candidates with about the same performance, the log loss is the better criterion, because
// it uses probabilities and not only predicted classes.
func (r *race) bestSingleCandidate(ctx context.Context, candidates []*candidate) (chosen *candidate, err error) {
	if len(candidates) == 0 {
		return nil, nil
	}
	best := slices.MaxFunc(candidates, func(a, b *candidate) int { return cmp.Compare(a.performance, b.performance) })
	noise, err := r.evaluator.PerformanceStdErr(ctx, best.probabilities)
	if err != nil {
		return nil, err
	}
	for _, c := range candidates {
		if c.performance >= best.performance-noise && (chosen == nil || c.logLoss < chosen.logLoss) {
			chosen = c
		}
	}
	return chosen, nil
}

// setLosses computes the log loss of each candidate for the report and for the comparison of runs.
// If blend is not nil, setLosses also computes the log loss of the blend and sets r.blendScore.
func (r *race) setLosses(ctx context.Context, candidates []*candidate, blend *candidate, lossFunc lossFunc) (err error) {
	for _, c := range candidates {
		if c.logLoss, err = lossFunc(ctx, c); err != nil {
			return err
		}
		c.components[0].best.logLoss = c.logLoss
	}
	if blend == nil {
		return nil
	}
	if blend.logLoss, err = lossFunc(ctx, blend); err != nil {
		return err
	}
	interval, err := r.evaluator.PerformanceInterval(ctx, blend.crossFitted)
	r.blendScore = &Candidate{blend.performance, blend.logLoss, interval}
	return err
}

// newBlend returns the blend of the candidates, with a cross-fitted score. It returns nil
// if the best blend has only one component, or if there are no validation rows. It
// returns an error only if ctx is cancelled.
func newBlend(ctx context.Context, e *evaluation.Evaluator, candidates []*candidate) (*candidate, error) {
	if len(candidates) < 2 || len(e.Labels) == 0 {
		return nil, nil
	}
	models := make([][]float32, len(candidates))
	for i, c := range candidates {
		models[i] = c.probabilities
	}
	mixture := e.Mix(models)
	b := &candidate{probabilities: mixture.Probabilities, crossFitted: mixture.CrossFitted}
	for i, c := range candidates {
		if weight := mixture.Weights[i]; weight > 0 {
			b.components = append(b.components, component{c.components[0].run, weight})
		}
	}
	if len(b.components) < 2 {
		return nil, nil
	}
	sort.SliceStable(b.components, func(i, j int) bool { return b.components[i].weight > b.components[j].weight })
	var err error
	b.score, err = newScore(ctx, e, b.crossFitted)
	return b, err
}
