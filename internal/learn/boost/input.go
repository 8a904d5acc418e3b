package boost

import (
	"context"

	"foretell/internal/frame"
	"foretell/internal/learn/tree"
)

// input is the frame as symmetric trees see it.
type input struct {
	// bins hold the binned columns, then the statistics: in one order each.
	bins []*tree.BinnedMatrix
	// usable are the features trees may use: a category of many levels is
	// seen through its statistics only.
	usable     []int32
	statistics []statistic
	first      int // feature that is a statistic
}

const (
	// orders is the most random orders of the ordered statistics, and
	// orderBytes the most memory for them; at least one is made.
	orders     = 4
	orderBytes = 256 << 20
	// wide is the number of levels beyond which a column gets statistics.
	// Trees tell fewer levels apart by name, and without noise.
	wide = 24
	// mostStatistics bounds the statistics, but each wide column has one.
	mostStatistics = 48
)

// newInput makes the statistics of the categorical columns of f.
func newInput(ctx context.Context, f *frame.Frame, train []int32, bins *tree.BinnedMatrix, opts *Options) (*input, error) {
	in := &input{first: len(f.Columns)}
	var keys []category
	for i := range f.Columns {
		in.usable = append(in.usable, int32(i))
		if f.Columns[i].Codes == nil {
			continue
		}
		if key := newCategory(f, i); key.levels[0]-2 > wide {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		in.bins = []*tree.BinnedMatrix{bins}
		return in, nil
	}
	e := newEncoder(f, train, opts)
	e.targets = e.targets[:min(max(mostStatistics/len(keys), 1), len(e.targets))]
	pairs, err := e.pairs(ctx, keys, max(mostStatistics/len(e.targets)-len(keys), 0), opts.Workers)
	if err != nil {
		return nil, err
	}
	keys = append(keys, pairs...)
	in.statistics = make([]statistic, len(keys)*len(e.targets))
	e.orders = e.orders[:min(max(orderBytes/(f.Rows*len(in.statistics)), 1), orders)]
	err = tree.Parallel(ctx, opts.Workers, len(in.statistics), func(_, i int) {
		in.statistics[i] = e.statistic(keys[i/len(e.targets)], e.targets[i%len(e.targets)])
	})
	if err != nil {
		return nil, err
	}
	in.arrange(bins, len(e.orders))
	return in, nil
}

// arrange puts the binned columns and the statistics side by side, once for
// each order.
func (in *input) arrange(bins *tree.BinnedMatrix, orders int) {
	for order := range orders {
		features := make([]tree.Feature, len(in.statistics))
		for i := range in.statistics {
			s := &in.statistics[i]
			features[i] = tree.Feature{BinMapper: s.cuts, Data: s.orders[order]}
		}
		ordered, first := bins.Append(features)
		in.bins, in.first = append(in.bins, ordered), first
	}
	for i := range in.statistics {
		in.usable = append(in.usable, int32(in.first+i))
	}
}
