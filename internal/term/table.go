package term

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Cell is one value of a [Table].
type Cell struct {
	// Text is the full value.
	Text string
	// Display is how a terminal shows it. Defaults to Text.
	Display string
	// Short is shown instead of Look where the width does not suffice, such as
	// the first characters of a key. Defaults to cutting Look with an ellipsis.
	Short string
	// Style colours the cell on a terminal. May be nil.
	Style func(string) string
}

// Table is rows of cells under a header. Every row has as many cells as Header.
type Table struct {
	// Header names the columns; none prints no header.
	Header []Cell
	// Right tells which columns are numbers, aligned to the right.
	Right []bool
	Rows  [][]Cell
	// NoTruncate keeps every cell as long as it is, also where the terminal is
	// narrower: the last column is then wrapped between words.
	NoTruncate bool
}

// gap is what stands between two columns on a terminal.
const gap = 2

// WriteTSV writes the full values separated by tabs. Control characters are
// escaped: a row is a line.
func (t *Table) WriteTSV(w io.Writer) error {
	var b strings.Builder
	line := func(n int, text func(i int) string) {
		for i := range n {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(Escape(text(i)))
		}
		b.WriteByte('\n')
	}
	if len(t.Header) > 0 {
		line(len(t.Header), func(i int) string { return t.Header[i].Text })
	}
	for _, row := range t.Rows {
		line(len(row), func(i int) string { return row[i].Text })
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteCSV writes the full values as RFC 4180 with LF line ends.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if len(t.Header) > 0 {
		if err := out.Write(texts(t.Header)); err != nil {
			return err
		}
	}
	for _, row := range t.Rows {
		if err := out.Write(texts(row)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func texts(row []Cell) []string {
	record := make([]string, len(row))
	for i, cell := range row {
		record[i] = cell.Text
	}
	return record
}

// WriteAligned writes aligned columns without boxes, fitted to width. Columns
// that do not fit beside the others follow in a block of their own, which begins
// with the first column again.
func (t *Table) WriteAligned(w io.Writer, width int, style Style) error {
	header, rows := t.displayed(width)
	widths := t.widths(append([][]string{header}, rows...))
	var b strings.Builder
	for i, block := range t.blocks(widths, width) {
		if i > 0 {
			b.WriteByte('\n')
		}
		if len(header) > 0 {
			t.writeLine(&b, header, widths, block, func(int) func(string) string { return style.Bold })
		}
		for i, row := range rows {
			paint := func(column int) func(string) string {
				if !style {
					return nil
				}
				return t.Rows[i][column].Style
			}
			for _, line := range t.lines(row, widths, width) {
				if len(line) < len(row) {
					t.writeUnder(&b, line[0], paint(len(row)-1))
					continue
				}
				t.writeLine(&b, line, widths, block, paint)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// blocks divides the columns into those that fit the width together. Each block
// begins with the first column.
func (t *Table) blocks(widths []int, width int) (blocks [][]int) {
	used := 0
	for column, w := range widths {
		last := len(blocks) - 1
		switch {
		case column == 0:
			blocks, used = [][]int{{0}}, w
			continue
		case !t.NoTruncate && used+gap+w > width && len(blocks[last]) > 1:
			blocks, used = append(blocks, []int{0}), widths[0]
			last++
		}
		blocks[last] = append(blocks[last], column)
		used += gap + w
	}
	return blocks
}

// writeLine writes some columns of a line. paint returns how a column is
// coloured; nil leaves it as it is.
func (t *Table) writeLine(b *strings.Builder, line []string, widths, columns []int, paint func(column int) func(string) string) {
	pending := 0 // spaces, which are not written at the end of a line
	for _, column := range columns {
		text := line[column]
		fill := max(0, widths[column]-twwidth.Width(text))
		right := column < len(t.Right) && t.Right[column]
		if right {
			pending += fill
		}
		if text != "" {
			b.WriteString(strings.Repeat(" ", pending))
			pending = 0
			if p := paint(column); p != nil {
				text = p(text)
			}
			b.WriteString(text)
		}
		if !right {
			pending += fill
		}
		pending += gap
	}
	b.WriteByte('\n')
}

// writeUnder writes a line of a cell that stands under the others of its row.
func (t *Table) writeUnder(b *strings.Builder, text string, paint func(string) string) {
	if paint != nil {
		text = paint(text)
	}
	b.WriteString(strings.Repeat(" ", gap) + text + "\n")
}

// lines are what a row takes up: more than one where the last cell of a whole
// table is wrapped. Where a word of it is too long to stand beside the other cells,
// it is wrapped under them, as lines of one cell.
func (t *Table) lines(row []string, widths []int, width int) [][]string {
	const least = 20
	end := len(row) - 1
	if !t.NoTruncate || end < 0 {
		return [][]string{row}
	}
	room := width - gap - total(widths[:end])
	if longest := longestWord(row[end]); longest > room && longest <= width-gap {
		lines := [][]string{slices.Clone(row)}
		lines[0][end] = ""
		for _, text := range Wrap(row[end], width-gap) {
			lines = append(lines, []string{text})
		}
		return lines
	}
	wrapped := Wrap(row[end], max(least, room))
	lines := make([][]string, len(wrapped))
	for i, text := range wrapped {
		lines[i] = make([]string, len(row))
		if i == 0 {
			copy(lines[i], row)
		}
		lines[i][end] = text
	}
	return lines
}

// longestWord is the width of the longest word of a text.
func longestWord(text string) int {
	longest := 0
	for _, word := range words(text) {
		longest = max(longest, twwidth.Width(word))
	}
	return longest
}

// displayed returns the header and the cells as a terminal of the given width shows
// them. Where the width does not suffice, one column after the other takes its
// short form, and then the widest are cut.
func (t *Table) displayed(width int) (header []string, rows [][]string) {
	cells := append([][]Cell{t.Header}, t.Rows...)
	all := make([][]string, len(cells))
	for i, row := range cells {
		all[i] = make([]string, len(row))
		for j, cell := range row {
			all[i][j] = Escape(cell.display(false))
		}
	}
	widths := t.widths(all)
	for column := 0; !t.NoTruncate && column < len(widths) && total(widths) > width; column++ {
		for i, row := range cells {
			if len(row) > 0 {
				all[i][column] = Escape(row[column].display(true))
			}
		}
		widths = t.widths(all)
	}
	if !t.NoTruncate && total(widths) > width {
		shrink(widths, t.minWidths(all), width)
		for _, row := range all {
			for i := range row {
				row[i] = Truncate(row[i], min(widths[i], max(1, width-gap-widths[0])))
			}
		}
	}
	return all[0], all[1:]
}

func (c Cell) display(short bool) string {
	switch {
	case short && c.Short != "":
		return c.Short
	case c.Display != "":
		return c.Display
	}
	return c.Text
}

// widths are the widest looks of each column.
func (t *Table) widths(rows [][]string) []int {
	n := len(t.Header)
	if n == 0 && len(t.Rows) > 0 {
		n = len(t.Rows[0])
	}
	widths := make([]int, n)
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], twwidth.Width(text))
		}
	}
	return widths
}

func total(widths []int) int {
	sum := gap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// minWidths is how narrow each column may become. Keys and numbers stay whole, for
// half of one says nothing, and of a text as much is left as tells it from others.
func (t *Table) minWidths(all [][]string) []int {
	const text = 12
	least := make([]int, len(all[0]))
	if len(least) == 0 && len(all) > 1 {
		least = make([]int, len(all[1]))
	}
	for i := range least {
		for j, row := range t.Rows {
			width := twwidth.Width(all[j+1][i])
			number := i < len(t.Right) && t.Right[i]
			if row[i].Short == "" && !number {
				width = min(width, text)
			}
			least[i] = max(least[i], width)
		}
		if len(t.Header) > 0 { // may be cut further, but not to nothing
			least[i] = max(least[i], min(twwidth.Width(all[0][i]), 6))
		}
	}
	return least
}

// shrink takes columns from the widest until all fit. Where even the least widths
// do not fit together, it leaves all as they are: they are divided into blocks.
func shrink(widths, least []int, width int) {
	if total(least) > width {
		return
	}
	for total(widths) > width {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		widths[widest]--
	}
}

// Truncate gives text in at most width columns, its end replaced by an ellipsis
// where it is longer.
func Truncate(text string, width int) string {
	if twwidth.Width(text) <= width {
		return text
	}
	var b strings.Builder
	used := 0
	for _, r := range text {
		w := twwidth.Width(string(r))
		if used+w > width-1 {
			break
		}
		b.WriteRune(r)
		used += w
	}
	return b.String() + "…"
}
