package tree

// histogramPool keeps released histograms for reuse. size is the number of cells of a histogram.
// inUse is the number of histograms that are acquired and not yet released. While inUse exceeds
// limit, leaves join the frontier without their histograms.
type histogramPool struct {
	size, limit int
	inUse       int
	free        [][]int64
}

// maxPoolBytes limits the memory for the histograms of leaves that wait to be split. Splitting a
// leaf whose histogram was released takes longer, because the histograms of both children are built
// from rows.
const maxPoolBytes = 256 << 20

func newHistogramPool(size int) *histogramPool {
	return &histogramPool{size: size, limit: max(maxPoolBytes/(8*size), 1)}
}

// acquire returns a histogram with undefined contents.
func (p *histogramPool) acquire() []int64 {
	p.inUse++
	if n := len(p.free); n > 0 {
		h := p.free[n-1]
		p.free = p.free[:n-1]
		return h
	}
	return make([]int64, p.size)
}

// release puts a histogram back; nil is ignored.
func (p *histogramPool) release(h []int64) {
	if h != nil {
		p.inUse--
		p.free = append(p.free, h)
	}
}
