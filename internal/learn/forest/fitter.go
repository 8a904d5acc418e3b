package forest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"foretell/internal/frame"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
)

// Fitter grows a forest step by step. It is for one goroutine; after an error
// it is of no more use.
type Fitter struct {
	opts  Options
	frame *frame.Frame
	part  split.Part
	prior []float32 // class frequencies in part.Train

	bins    *tree.BinnedMatrix // nil until the first step
	cuts    []tree.BinMapper
	growers []*grower // one a worker
	places  []int32   // of the rows of out-of-bag juries within part.Train

	crowd   *crowd // the best one so far
	moves   []move // to try on its recipe
	fitted  int    // trees when the temperature was last fitted
	present state
	kept    *state
	effort  effort
}

// state is what Keep remembers.
type state struct {
	trees  recording
	warmth metric.Temperature
}

// New prepares a fitter that learns f's rows part.Train and scores part.Eval.
func New(f *frame.Frame, part split.Part, opts Options) (*Fitter, error) {
	switch {
	case opts.Classes < 2 || opts.Classes > math.MaxUint16:
		return nil, fmt.Errorf("forest: Classes=%d: must be 2 to %d", opts.Classes, math.MaxUint16)
	case len(part.Train) == 0:
		return nil, errors.New("forest: no rows to learn from")
	case len(f.Labels) != f.Rows:
		return nil, fmt.Errorf("forest: %d labels for %d rows", len(f.Labels), f.Rows)
	}
	opts.setDefaults(len(part.Train))
	return &Fitter{
		opts:    opts,
		frame:   f,
		part:    part,
		prior:   frequencies(f.Labels, part.Train, opts.Classes),
		present: state{warmth: 1},
	}, nil
}

// Step grows the next group of trees. The first steps double the forest until
// it is large enough to judge its recipe by its out-of-bag error; some more let
// other recipes challenge it. A step whose challenger fails, and each that
// follows, adds to the forest. It is done when the forest has all its trees.
func (t *Fitter) Step(ctx context.Context) (done bool, err error) {
	if err := t.prepare(ctx); err != nil {
		return false, err
	}
	switch r, ok := t.nextRecipe(); {
	case t.crowd.trees == 0:
		err = t.join(ctx, t.crowd, min(2, t.opts.half))
	case t.crowd.trees < 2*t.opts.half:
		err = t.double(ctx, t.crowd)
	case ok:
		err = t.challenge(ctx, r)
	default:
		err = t.more(ctx)
	}
	if err != nil {
		return false, err
	}
	t.present.trees = recording{t.crowd.tape, t.crowd.tape.Len(), t.crowd.trees}
	done = len(t.moves) == 0 && t.crowd.trees >= t.opts.Trees
	if done || float64(t.crowd.trees) >= refit*float64(t.fitted) {
		t.fitted = t.crowd.trees
		t.present.warmth = t.temperature(t.crowd)
	}
	return done, nil
}

// more adds a group of trees to the forest, as long as it has not all.
func (t *Fitter) more(ctx context.Context) error {
	return t.join(ctx, t.crowd, min(t.opts.group, max(t.opts.Trees-t.crowd.trees, 0)))
}

// challenge lets a crowd of another recipe take the place of the best so far
// if it is better. If it is not, the best one grows.
func (t *Fitter) challenge(ctx context.Context, r recipe) error {
	rival := t.newCrowd(r)
	if err := t.audition(ctx, rival); err != nil {
		return err
	}
	if rival.fault.brier < t.crowd.fault.brier*(1-t.margin(r)) && !(rival.fault.loss > t.crowd.fault.loss) {
		t.crowd, t.fitted = rival, 0
		return nil
	}
	t.moves = t.moves[1:]
	return t.more(ctx)
}

// margin is the part of the Brier score by which a recipe must be better than the
// one before it to count as better. Less may be chance, and the more so the
// fewer rows there are. Coarser trees are smaller, a good in itself: given
// more than some thousand rows, they need not be better at all, only not worse.
func (t *Fitter) margin(r recipe) float64 {
	chance := 1 / math.Sqrt(float64(len(t.part.Train)))
	if r.minLeaf > t.crowd.recipe.minLeaf {
		return max(0, chance/2-0.01)
	}
	return max(0.01, chance)
}

// nextRecipe returns the next recipe worth trying, if any.
func (t *Fitter) nextRecipe() (recipe, bool) {
	in := t.scope()
	for t.crowd.trees >= 2*t.opts.half && len(t.moves) > 0 {
		r := t.crowd.recipe
		if t.moves[0](&r, in) {
			return r, true
		}
		t.moves = t.moves[1:]
	}
	return recipe{}, false
}

// Limits on the out-of-bag rows that are looked at.
const (
	oobRows  = 20_000
	oobCells = 400_000 // rows × classes
	fitCells = 100_000 // of these, for the temperature
	refit    = 1.25    // growth of the forest before it is fitted again
)

// prepare does before the first step what takes time.
func (t *Fitter) prepare(ctx context.Context) error {
	if t.crowd != nil {
		return nil
	}
	t.bins = t.opts.Bins
	if t.bins == nil {
		var err error
		if t.bins, err = tree.NewBinnedMatrix(ctx, t.frame, 0, t.opts.Workers); err != nil {
			return err
		}
	}
	t.cuts = t.bins.Mappers()
	n := len(t.part.Train)
	most := min(n, oobRows, max(oobCells/t.opts.Classes, 1))
	rows := make([]int32, most)
	t.places = make([]int32, most)
	for i := range most {
		t.places[i] = int32(i * n / most)
		rows[i] = t.part.Train[t.places[i]]
	}
	t.growers = make([]*grower, t.opts.Workers)
	t.crowd = &crowd{
		tape: t.opts.Disk.NewTape(),
		eval: newJury(t.bins, t.part.Eval, t.opts.Classes),
		oob:  newJury(t.bins, rows, t.opts.Classes),
	}
	t.crowd.recipe, t.moves = t.opts.start(t.scope())
	return nil
}

// scope is what bounds the moves on this data. Of two levels, or two and
// missing cells, there are so few orders that a random one will do.
func (t *Fitter) scope() scope {
	in := scope{rows: len(t.part.Train), features: len(t.bins.Features), rarest: t.rarest()}
	for i := range t.bins.Features {
		f := &t.bins.Features[i]
		in.categories = in.categories || f.Categorical && f.NumBins > 4
	}
	return in
}

// rarest returns the number of training rows of the smallest class that has
// two or more.
func (t *Fitter) rarest() int {
	counts := make([]int, t.opts.Classes)
	for _, row := range t.part.Train {
		counts[t.frame.Labels[row]]++
	}
	least := len(t.part.Train)
	for _, n := range counts {
		if n > 1 {
			least = min(least, n)
		}
	}
	return least
}

func (t *Fitter) newCrowd(r recipe) *crowd {
	return &crowd{
		recipe: r,
		tape:   t.opts.Disk.NewTape(),
		eval:   t.crowd.eval.dismissed(len(t.part.Eval)),
		oob:    t.crowd.oob.dismissed(len(t.places)),
	}
}

// OutOfBag returns what the forest says of rows of part.Train (of all of them,
// or of a sample where they are many) by the trees that have not learned from
// them: an estimate of its quality that costs no rows. The temperature is
// applied; it was fitted to these very rows.
func (t *Fitter) OutOfBag() metric.Predictions {
	p := t.outOfBag(t.crowd, oobCells)
	t.present.warmth.Apply(p.Probabilities, p.Classes)
	return p
}

// outOfBag returns at most about cells out-of-bag probabilities of a crowd.
func (t *Fitter) outOfBag(c *crowd, cells int) metric.Predictions {
	p := metric.Predictions{Classes: t.opts.Classes}
	if c == nil {
		return p
	}
	jury := c.oob
	row := make([]float32, p.Classes)
	stride := 1 + (len(jury.votes)-1)/cells
	for i := 0; i < len(jury.size); i += max(stride, 1) {
		if size := int(jury.size[i]); size > 0 {
			probabilities(row, jury.of(i), t.prior, size, c.trees)
			p.Probabilities = append(p.Probabilities, row...)
			p.Labels = append(p.Labels, t.oobLabel(i))
		}
	}
	return p
}

// temperature returns the one that suits the out-of-bag votes of a crowd.
func (t *Fitter) temperature(c *crowd) metric.Temperature {
	p := t.outOfBag(c, fitCells)
	t.effort.fitted += len(p.Probabilities)
	return metric.FitTemperature(p)
}

// EvalProbabilities writes the class probabilities of the Eval rows after the last
// step: dst is len(part.Eval) × classes, row major.
func (t *Fitter) EvalProbabilities(dst []float32) {
	for i := range t.part.Eval {
		row := dst[i*t.opts.Classes : (i+1)*t.opts.Classes]
		if t.crowd == nil {
			copy(row, t.prior)
			continue
		}
		jury := t.crowd.eval
		probabilities(row, jury.of(i), t.prior, int(jury.size[i]), t.crowd.trees)
	}
	t.present.warmth.Apply(dst, t.opts.Classes)
}

// Cost estimates the work done so far in nanoseconds of one core. It counts
// what was done and weighs it as measured.
func (t *Fitter) Cost() float64 { return t.effort.nanoseconds() }

// Checkpoint remembers the present state as the one Model returns.
func (t *Fitter) Checkpoint() {
	kept := t.present
	t.kept = &kept
}

// Model returns the forest as last kept, or as it is if Keep was never called.
func (t *Fitter) Model() *Model {
	s := t.present
	if t.kept != nil {
		s = *t.kept
	}
	return newModel(Model{prior: t.prior, warmth: s.warmth, cuts: t.cuts, recorded: s.trees})
}
