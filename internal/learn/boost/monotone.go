package boost

import (
	"context"
	"math"
	"slices"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/tree"
)

// monotoneConstraint lists leaves of a symmetric tree in chains. Along each chain, the values of
// the leaves may only rise, or may only fall. A chain lists, in order, the leaves that a row falls
// into as one monotone feature grows and all other features stay equal.
//
// Bit d of the index of a leaf is set if the leaf's rows pass the split of level d. For example, let
// the splits of levels 0, 1 and 2 be x > 1, y > 5 and x > 3. The chains of the feature x are then
//
//	0 1 5     y at most 5
//	2 3 7     y above 5
//
// A row of leaf 4 or 6 passes x > 3 but not x > 1, so its x must be missing. These leaves are
// therefore in no chain.
type monotoneConstraint struct {
	direction tree.Direction
	chains    [][]int
}

// monotoneConstraints returns one monotoneConstraint for each monotone feature that splits use.
func monotoneConstraints(splits []tree.LevelSplit, bins *tree.BinnedMatrix, monotone []tree.Direction) []monotoneConstraint {
	var orders []monotoneConstraint
	var done []int32
	for _, split := range splits {
		feature := split.Feature
		if int(feature) >= len(monotone) || monotone[feature] == tree.AnyOrder || slices.Contains(done, feature) {
			continue
		}
		done = append(done, feature)
		masks, all := passedSplits(splits, feature, int(bins.Features[feature].MissingBin))
		order := monotoneConstraint{direction: monotone[feature]}
		for leaf := range 1 << len(splits) {
			if leaf&all != 0 {
				continue
			}
			chain := make([]int, len(masks))
			for i, mask := range masks {
				chain[i] = leaf | mask
			}
			order.chains = append(order.chains, chain)
		}
		orders = append(orders, order)
	}
	return orders
}

// passedSplits determines, for each of the bins 0…bins-1 of a feature, which of the splits by this
// feature the bin passes. masks holds these sets of splits in the order of the bins; consecutive
// bins with the same set share one element. In a set, bit d stands for the split of level d. The
// result all is the set of all splits by the feature.
func passedSplits(splits []tree.LevelSplit, feature int32, bins int) (masks []int, all int) {
	for bin := range bins {
		mask := 0
		for level := range splits {
			if splits[level].Feature != feature {
				continue
			}
			all |= 1 << level
			if splits[level].Passes(uint8(bin)) {
				mask |= 1 << level
			}
		}
		if len(masks) == 0 || masks[len(masks)-1] != mask {
			masks = append(masks, mask)
		}
	}
	return masks, all
}

// fitMonotoneValues is fitLeafValuesAndAddScores for a tree with monotone features. It replaces the
// Newton steps of the leaves by the closest values that are in the order of each monotone feature;
// see fitIsotonicInPlace.
func (b *symmetricBooster) fitMonotoneValues(ctx context.Context, splits []tree.LevelSplit, bins *tree.BinnedMatrix) error {
	values, weights := make([]float64, 1<<len(splits)), make([]float64, 1<<len(splits))
	for leaf := range values {
		g, h := b.grower.LeafSum(leaf, 0)
		values[leaf], weights[leaf] = -g/(h+b.opts.l2), h+b.opts.l2
		if len(b.grower.LeafRows(leaf)) == 0 {
			weights[leaf] = emptyLeafWeight
		}
	}
	fitIsotonicInPlace(values, weights, monotoneConstraints(splits, bins, b.opts.Monotone))
	return parallel.ForContext(ctx, b.opts.Workers, len(values), func(_, leaf int) {
		step := b.leafValues(leaf)
		step[0] = b.opts.scaleLeafValue(values[leaf])
		b.scores.add(b.grower.LeafRows(leaf), step)
	})
}

// emptyLeafWeight is the weight of a leaf without rows. It is small enough not to change the mean
// when the leaf is pooled with its neighbours.
const emptyLeafWeight = 1e-9

// dykstraRounds is the number of times that Dykstra's algorithm projects the leaf values onto each
// of several orders; see fitIsotonicInPlace.
const dykstraRounds = 20

// fitIsotonicInPlace is an isotonic regression for one or several orders. It replaces values by the
// numbers that satisfy all orders with the smallest weighted sum of squared changes.
//
// For one order it pools adjacent violators (Ayer et al. 1955), as CatBoost does for symmetric
// trees. For several orders the result is approximate. The values are projected onto one order
// after another, dykstraRounds times (Dykstra 1983; Boyle & Dykstra 1986). Running maxima then
// remove the remaining violations.
func fitIsotonicInPlace(values, weights []float64, orders []monotoneConstraint) {
	if len(orders) == 1 {
		orders[0].poolAdjacentViolators(values, weights)
		return
	}
	corrections := make([][]float64, len(orders))
	for i := range corrections {
		corrections[i] = make([]float64, len(values))
	}
	for range dykstraRounds {
		for i, order := range orders {
			for leaf, c := range corrections[i] {
				values[leaf] -= c
				corrections[i][leaf] = -values[leaf]
			}
			order.poolAdjacentViolators(values, weights)
			for leaf, v := range values {
				corrections[i][leaf] += v
			}
		}
	}
	for _, order := range orders {
		order.raiseToMonotone(values)
	}
}

// poolAdjacentViolators replaces the values of the leaves of each chain by their weighted isotonic
// regression, with the pool adjacent violators algorithm. A chain is a list of leaves whose values
// must not fall, or must not rise if the direction is Decreasing.
func (o *monotoneConstraint) poolAdjacentViolators(values, weights []float64) {
	type block struct {
		value, weight float64
		leaves        int
	}
	var blocks []block
	sign := float64(o.direction)
	for _, chain := range o.chains {
		blocks = blocks[:0]
		for _, leaf := range chain {
			last := block{sign * values[leaf], weights[leaf], 1}
			for len(blocks) > 0 && blocks[len(blocks)-1].value > last.value {
				before := blocks[len(blocks)-1]
				blocks = blocks[:len(blocks)-1]
				weight := before.weight + last.weight
				last = block{(float64(before.value*before.weight) + float64(last.value*last.weight)) / weight, weight, before.leaves + last.leaves}
			}
			blocks = append(blocks, last)
		}
		at := 0
		for _, one := range blocks {
			for range one.leaves {
				values[chain[at]] = sign * one.value
				at++
			}
		}
	}
}

// raiseToMonotone puts the values of each chain in order by raising some of them. For Increasing,
// each value becomes the maximum of itself and all values before it in the chain. For Decreasing,
// it becomes the maximum of itself and all values after it.
func (o *monotoneConstraint) raiseToMonotone(values []float64) {
	for _, chain := range o.chains {
		highest := math.Inf(-1)
		for i := range chain {
			leaf := chain[i]
			if o.direction == tree.Decreasing {
				leaf = chain[len(chain)-1-i]
			}
			highest = max(highest, values[leaf])
			values[leaf] = highest
		}
	}
}
