package columnstats

import (
	"slices"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// ChunkColumn is what a worker computes from the cells of a column in a chunk, before the chunk is
// added to the Column. The zero value is ready to use.
type ChunkColumn struct {
	numbers chunkStats
	texts   columnTexts
}

// Reset prepares c for a chunk with the given number of rows. numeric is the result of HasSnapshot.
// If numeric is true, c needs no memory for texts, because HashTexts is not called.
func (c *ChunkColumn) Reset(rows int, numeric bool) {
	c.numbers.values = nil
	c.texts.resize(rows, !numeric)
}

// HasSnapshot reports whether the column has published a snapshot of its statistics. If it has,
// numbers of the column are no longer counted as texts, so workers call ComputeNumbers, which needs
// the snapshot, instead of HashTexts. HasSnapshot is safe for concurrent use.
func (c *Column) HasSnapshot() bool { return c.publishedSnapshot.Load() != nil }

// ComputeNumbers sets chunkColumn to the statistics of the column's values in a chunk. It does nothing if
// HasSnapshot returns false. It is safe for concurrent use.
func (c *Column) ComputeNumbers(chunkColumn *ChunkColumn, values []float64) {
	if snapshot := c.publishedSnapshot.Load(); snapshot != nil {
		chunkColumn.numbers.compute(values, *snapshot)
	}
}

// AddChunk adds the column's values of a chunk that starts in the given line. field is
// the position of the column. chunkColumn must have been filled by ComputeNumbers or, if the
// column had no snapshot, by HashTexts.
func (c *Column) AddChunk(chunk *csvfile.ParsedChunk, field, line int, chunkColumn *ChunkColumn) {
	s := &chunkColumn.numbers
	values := chunk.FloatBuffer(field)
	for row := 0; row < len(values); {
		if c.dropsNumberTexts {
			chunk.ParseField(field)
			if row > 0 || s.values == nil {
				s.compute(values[row:], c.numericStats.snapshot())
			}
			c.numericStats.addChunk(s)
			c.rowsByKind[cells.Number] += s.numbers
			c.rowsByKind[cells.Blank] += s.blanks
			if row += len(s.values); row == len(values) {
				break
			}
		}
		if c.numericStats == nil {
			row = c.addTexts(&chunkColumn.texts, chunk.RowLines, line, row)
			continue
		}
		c.AddCell(chunk.Cell(row, field), line+int(chunk.RowLines[row]))
		row++
	}
	c.publishSnapshot()
}

// publishSnapshot makes a snapshot of the column's statistics available to the workers that parse
// the next chunks. While numbers are counted as texts, there is no snapshot.
func (c *Column) publishSnapshot() {
	if !c.dropsNumberTexts {
		c.publishedSnapshot.Store(nil)
		return
	}
	if o, before := c.numericStats.snapshot(), c.publishedSnapshot.Load(); before == nil || *before != o {
		c.publishedSnapshot.Store(&o)
	}
}

// columnTexts are the texts of a column in the rows of a chunk, trimmed by trimUnlessLabel, and
// their hashes. A blank text is nil.
type columnTexts struct {
	cells  [][]byte
	hashes []uint64
}

// resize allocates memory for the given number of rows, or frees it if wanted is false.
func (c *columnTexts) resize(rows int, wanted bool) {
	if !wanted {
		*c = columnTexts{}
		return
	}
	c.cells, c.hashes = slices.Grow(c.cells[:0], rows), slices.Grow(c.hashes[:0], rows)
}

// trimUnlessLabel returns the text of a cell without surrounding spaces. In a label, it keeps the
// spaces, because they distinguish classes. The cell must not be blank.
func (c *Column) trimUnlessLabel(cell []byte) []byte {
	if !c.isLabel && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		return cells.Trim(cell)
	}
	return cell
}

// HashTexts appends the texts of a field in rows lo…hi-1, and their hashes, to chunkColumn. It
// is safe for concurrent use, even while AddChunk runs.
func (c *Column) HashTexts(chunkColumn *ChunkColumn, chunk *csvfile.ParsedChunk, field, lo, hi int) {
	texts := &chunkColumn.texts
	for row := lo; row < hi; row++ {
		cell, hash := chunk.Cell(row, field), uint64(0)
		if cells.IsBlank(cell) {
			cell = nil
		} else {
			cell = c.trimUnlessLabel(cell)
			hash = cells.Hash(cell)
		}
		texts.cells, texts.hashes = append(texts.cells, cell), append(texts.hashes, hash)
	}
}

// textBatchSize is the number of texts that are prefetched together.
const textBatchSize = 64

// addTexts adds the texts of a batch of rows, from the given row on. It returns the row after the
// last row whose text was added. The batch ends early if addText sets numericStats, because the
// numbers of the next rows must then be added to these statistics instead of as texts.
func (c *Column) addTexts(list *columnTexts, lines []int32, line, row int) (nextRow int) {
	end := min(row+textBatchSize, len(list.cells))
	c.texts.prefetch(list.hashes[row:end])
	for ; row < end; row++ {
		cell := list.cells[row]
		if cell == nil {
			c.rowsByKind[cells.Blank]++
			continue
		}
		c.addText(cell, list.hashes[row], line+int(lines[row]))
		if c.numericStats != nil { // set by addText
			return row + 1
		}
	}
	return row
}
