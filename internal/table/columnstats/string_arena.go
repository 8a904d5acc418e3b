package columnstats

import "strings"

// stringArena allocates many short strings in a few blocks of memory.
type stringArena struct{ block *strings.Builder }

const (
	minArenaBlock = 64
	maxArenaBlock = 32 << 10
)

func (s *stringArena) add(text []byte) string {
	if s.block == nil || s.block.Cap()-s.block.Len() < len(text) {
		size := minArenaBlock
		if s.block != nil {
			size = min(2*s.block.Cap(), maxArenaBlock)
		}
		s.block = new(strings.Builder)
		s.block.Grow(max(size, len(text)))
	}
	from := s.block.Len()
	s.block.Write(text)
	return s.block.String()[from:]
}
