package term

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Cell is a value of a [Table].
type Cell struct {
	// Text is the full value, as printed in a pipe.
	Text string
	// Display is the text for a terminal. Defaults to Text.
	Display string
	// Short is the text for a narrow terminal, such as the first characters of a key.
	// Defaults to Display, truncated.
	Short string
	// Style colours the cell on a terminal. May be nil.
	Style func(string) string
}

// TextCells makes a row of texts.
func TextCells(texts ...string) []Cell {
	row := make([]Cell, len(texts))
	for i, text := range texts {
		row[i].Text = text
	}
	return row
}

// Table is a table to print. Every row must have as many cells as Header.
type Table struct {
	// Header holds the column names. If it is nil, no header is printed.
	Header []Cell
	// Right says for each column whether it is right-aligned, as numbers are. Columns after
	// the end of Right are left-aligned.
	Right []bool
	Rows  [][]Cell
	// Key is the index of the column that identifies a row, 0 or 1. If a narrow terminal shows the
	// columns in several blocks, each block after the first repeats this column.
	Key int
	// NoTruncate wraps the last column on a narrow terminal instead of truncating cells.
	NoTruncate bool
}

// columnGap is the number of spaces between columns on a terminal.
const columnGap = 2

// WriteTSV writes the full values, separated by tabs. Control characters are escaped.
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

// EscapeTexts escapes the full values of all rows with escape, such as [EscapeForSpreadsheet].
func (t *Table) EscapeTexts(escape func(string) string) {
	for _, row := range t.Rows {
		for i := range row {
			row[i].Text = escape(row[i].Text)
		}
	}
}

// WriteCSV writes the full values as RFC 4180 with LF line ends.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if len(t.Header) > 0 {
		if err := out.Write(cellTexts(t.Header)); err != nil {
			return err
		}
	}
	for _, row := range t.Rows {
		if err := out.Write(cellTexts(row)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func cellTexts(row []Cell) []string {
	record := make([]string, len(row))
	for i, cell := range row {
		record[i] = cell.Text
	}
	return record
}

// WriteAligned writes aligned columns in lines of at most width terminal columns. Columns of
// the table that do not fit follow in another block, which repeats the column Key.
func (t *Table) WriteAligned(w io.Writer, width int, style Style) error {
	header, rows := t.displayTexts(width)
	widths := t.widths(append([][]string{header}, rows...))
	var b strings.Builder
	for i, block := range t.columnBlocks(widths, width) {
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
			for _, line := range t.wrapRow(row, widths, width) {
				if len(line) < len(row) {
					t.writeWrappedCell(&b, line[0], paint(len(row)-1))
					continue
				}
				t.writeLine(&b, line, widths, block, paint)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// columnBlocks returns groups of columns that fit into width. The first group starts with
// column 0, and each other group with the column t.Key.
func (t *Table) columnBlocks(widths []int, width int) (blocks [][]int) {
	used := 0
	for column, w := range widths {
		last := len(blocks) - 1
		switch {
		case column == 0:
			blocks, used = [][]int{{0}}, w
			continue
		case !t.NoTruncate && used+columnGap+w > width && len(blocks[last]) > 1:
			blocks, used = append(blocks, []int{t.Key}), widths[t.Key]
			last++
		}
		blocks[last] = append(blocks[last], column)
		used += columnGap + w
	}
	return blocks
}

// writeLine writes the given columns of a line. The function paint returns the function that
// colours a column, or nil.
func (t *Table) writeLine(b *strings.Builder, line []string, widths, columns []int, paint func(column int) func(string) string) {
	pending := 0 // spaces that are written only if text follows in the line
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
		pending += columnGap
	}
	b.WriteByte('\n')
}

// writeWrappedCell writes a line of a wrapped cell below its row.
func (t *Table) writeWrappedCell(b *strings.Builder, text string, paint func(string) string) {
	if paint != nil {
		text = paint(text)
	}
	b.WriteString(strings.Repeat(" ", columnGap) + text + "\n")
}

// wrapRow returns the lines of a row: one line or, if the last cell of a NoTruncate table is
// wrapped, several. If a word of that cell is too long for its column, the cell follows below the
// row, in lines with a single element.
func (t *Table) wrapRow(row []string, widths []int, width int) [][]string {
	const least = 20
	end := len(row) - 1
	if !t.NoTruncate || end < 0 {
		return [][]string{row}
	}
	space := width - columnGap - totalWidth(widths[:end])
	if longest := longestWordWidth(row[end]); longest > space && longest <= width-columnGap {
		lines := [][]string{slices.Clone(row)}
		lines[0][end] = ""
		for _, text := range Wrap(row[end], width-columnGap) {
			lines = append(lines, []string{text})
		}
		return lines
	}
	wrapped := Wrap(row[end], max(least, space))
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

// longestWordWidth returns the width of the longest word in text.
func longestWordWidth(text string) int {
	longest := 0
	for _, word := range splitWords(text) {
		longest = max(longest, twwidth.Width(word))
	}
	return longest
}

// displayTexts returns the header and the cells as a terminal of the given width shows them. If the
// table is too wide, it first uses the short texts, one column after another. If it is still too
// wide, it truncates the widest columns.
func (t *Table) displayTexts(width int) (header []string, rows [][]string) {
	cells := append([][]Cell{t.Header}, t.Rows...)
	all := make([][]string, len(cells))
	for i, row := range cells {
		all[i] = make([]string, len(row))
		for j, cell := range row {
			all[i][j] = Escape(cell.displayText(false))
		}
	}
	widths := t.widths(all)
	for column := 0; !t.NoTruncate && column < len(widths) && totalWidth(widths) > width; column++ {
		for i, row := range cells {
			if len(row) > 0 {
				all[i][column] = Escape(row[column].displayText(true))
			}
		}
		widths = t.widths(all)
	}
	if !t.NoTruncate && totalWidth(widths) > width {
		shrinkColumns(widths, t.minWidths(all), width)
		if totalWidth(widths) > width { // the table is printed in blocks
			widths[t.Key] = min(widths[t.Key], max(width/2, 8))
		}
		for _, row := range all {
			for i := range row {
				most := max(1, width-columnGap-widths[t.Key])
				if i == t.Key {
					most = width
				}
				row[i] = Truncate(row[i], min(widths[i], most))
			}
		}
	}
	return all[0], all[1:]
}

func (c Cell) displayText(useShort bool) string {
	switch {
	case useShort && c.Short != "":
		return c.Short
	case c.Display != "":
		return c.Display
	}
	return c.Text
}

// widths returns the width of each column.
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

func totalWidth(widths []int) int {
	sum := columnGap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// minWidths returns the minimum width of each column. Keys and numbers are not truncated.
// Other texts are truncated to no less than 12 terminal columns.
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
		if len(t.Header) > 0 { // a heading is truncated to no less than 6 terminal columns
			least[i] = max(least[i], min(twwidth.Width(all[0][i]), 6))
		}
	}
	return least
}

// shrinkColumns narrows the widest columns in widths until all columns fit into width. The
// parameter least holds the minimum widths. If even these do not fit, shrinkColumns changes
// nothing, and the table is printed in blocks.
func shrinkColumns(widths, least []int, width int) {
	if totalWidth(least) > width {
		return
	}
	for totalWidth(widths) > width {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		widths[widest]--
	}
}

// Width returns the number of terminal columns that text occupies.
func Width(text string) int { return twwidth.Width(text) }

// Truncate shortens text to at most width columns. Shortened text ends in an ellipsis.
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
