package tree

// activeGroup lists the features that a tree may use in one feature group. index is the index of
// the group. active holds the indices of the features, ascending.
type activeGroup struct {
	index  int
	active []int
}

// activeGroups returns the groups of the given features; nil means all.
// Features with a single bin are left out.
func activeGroups(bins *BinnedMatrix, features []int32) []activeGroup {
	groups := make([]activeGroup, 0, len(bins.groups))
	use := func(i int) {
		if bins.constant[i] {
			return
		}
		if n := len(groups); n == 0 || groups[n-1].index != i/8 {
			groups = append(groups, activeGroup{index: i / 8, active: make([]int, 0, 8)})
		}
		last := &groups[len(groups)-1]
		last.active = append(last.active, i)
	}
	if features == nil {
		for i := range bins.Features {
			use(i)
		}
	}
	for _, i := range features {
		use(int(i))
	}
	return groups
}

// cellRange returns the range lo…hi-1 of a histogram that contains the cells of the group's active
// features. offsets[f] is the index of the first cell of feature f.
func (g *activeGroup) cellRange(offsets []int) (lo, hi int) {
	return offsets[g.active[0]], offsets[g.active[len(g.active)-1]+1]
}

// usesHistBuffer reports whether the group has enough active features to build their histograms in
// a histBuffer. If all of them are among the first four features of the group, three are enough.
func (g *activeGroup) usesHistBuffer() bool {
	n := len(g.active)
	return n >= minBufferedFeatures || n > 2 && g.usesOnlyLowHalf()
}

// usesOnlyLowHalf reports whether all active features are among the first four features
// of the group.
func (g *activeGroup) usesOnlyLowHalf() bool { return g.active[len(g.active)-1]%8 < 4 }
