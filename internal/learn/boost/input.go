package boost

import (
	"context"

	"foretell/internal/frame"
	"foretell/internal/learn/tree"
)

// input is the frame as symmetric trees see it.
type input struct {
	// bins hold the binned columns, then the statistics: in one order each.
	bins []*tree.Bins
	// usable are the features trees may use: a category of many levels is
	// seen through its statistics only.
	usable     []int32
	columns    int
	statistics []statistic
}

const (
	// orders is the number of random orders of the ordered statistics.
	orders = 4
	// wide is the number of levels beyond which a column gets statistics.
	// Trees tell fewer levels apart by name, and without noise.
	wide = 24
	// mostStatistics bounds the statistics of pairs of columns.
	mostStatistics = 48
)

// newInput makes the statistics of the categorical columns of f.
func newInput(ctx context.Context, f *frame.Frame, train []int32, bins *tree.Bins, opts *Options) (*input, error) {
	in := &input{columns: len(f.Columns)}
	var singles []category
	for i := range f.Columns {
		in.usable = append(in.usable, int32(i))
		if f.Columns[i].Codes == nil {
			continue
		}
		if key := newCategory(f, i); key.levels[0]-2 > wide {
			singles = append(singles, key)
		}
	}
	if len(singles) == 0 {
		in.bins = []*tree.Bins{bins}
		return in, nil
	}
	e := newEncoder(f, train, opts, orders)
	most := max(mostStatistics/len(e.targets)-len(singles), 0)
	pairs, err := e.pairs(ctx, singles, most, opts.Workers)
	if err != nil {
		return nil, err
	}
	keys := append(singles, pairs...)
	in.statistics = make([]statistic, len(keys)*len(e.targets))
	err = tree.Parallel(ctx, opts.Workers, len(in.statistics), func(_, i int) {
		in.statistics[i] = e.statistic(keys[i/len(e.targets)], e.targets[i%len(e.targets)])
	})
	if err != nil {
		return nil, err
	}
	for i := range in.statistics {
		in.usable = append(in.usable, int32(in.columns+i))
	}
	for order := range e.orders {
		features := append([]tree.Feature(nil), bins.Features...)
		for i := range in.statistics {
			s := &in.statistics[i]
			features = append(features, tree.Feature{Cuts: s.cuts, Data: s.orders[order]})
		}
		ordered, err := tree.NewBinsOf(ctx, f.Rows, features, opts.Workers)
		if err != nil {
			return nil, err
		}
		in.bins = append(in.bins, ordered)
	}
	return in, nil
}
