package term

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Cell is one value of a [Table].
type Cell struct {
	// Text is the full value.
	Text string
	// Look is how a terminal shows it. Defaults to Text.
	Look string
	// Short is what Look may be cut to where the width does not suffice, such
	// as the first characters of a key. Defaults to cutting with an ellipsis.
	Short string
	// Paint colours the cell on a terminal. May be nil.
	Paint func(string) string
}

// Table is rows of cells under a header. Every row has as many cells as Header.
type Table struct {
	// Header names the columns; none prints no header.
	Header []Cell
	// Right tells which columns are numbers, aligned to the right.
	Right []bool
	Rows  [][]Cell
	// Whole keeps every cell as long as it is, also where the terminal is
	// narrower: the last column is then wrapped between words.
	Whole bool
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

// WriteAligned writes aligned columns without boxes, fitted to width.
func (t *Table) WriteAligned(w io.Writer, width int, style Style) error {
	header, rows := t.looks(width)
	if len(rows) == 0 && len(header) == 0 {
		return nil
	}
	var lines [][]string
	room := t.room(header, rows, width)
	for i, row := range rows {
		for _, line := range t.lines(row, room) {
			for j, cell := range t.Rows[i] {
				if style && cell.Paint != nil && line[j] != "" {
					line[j] = cell.Paint(line[j])
				}
			}
			lines = append(lines, line)
		}
	}
	var b strings.Builder
	out := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
		})),
		tablewriter.WithConfig(tablewriter.Config{
			Header: tw.CellConfig{
				Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
				Alignment:  tw.CellAlignment{PerColumn: t.alignment()},
			},
			Row: tw.CellConfig{
				Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
				Alignment:  tw.CellAlignment{PerColumn: t.alignment()},
			},
			Behavior: tw.Behavior{TrimSpace: tw.Off},
		}),
		tablewriter.WithPadding(tw.Padding{Right: strings.Repeat(" ", gap), Overwrite: true}),
	)
	if len(header) > 0 {
		for i := range header {
			header[i] = style.Bold(header[i])
		}
		out.Header(header)
	}
	if err := out.Bulk(lines); err != nil {
		return fmt.Errorf("lay out a table: %w", err)
	}
	if err := out.Render(); err != nil {
		return fmt.Errorf("lay out a table: %w", err)
	}
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, trimEnd(line)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// room is what is left for the last column of a whole table.
func (t *Table) room(header []string, rows [][]string, width int) int {
	const least = 20
	widths := t.widths(append([][]string{header}, rows...))
	if len(widths) == 0 {
		return width
	}
	return max(least, width-gap-total(widths[:len(widths)-1]))
}

// lines are what a row takes up: more than one where the last cell of a whole
// table is wrapped.
func (t *Table) lines(row []string, room int) [][]string {
	end := len(row) - 1
	if !t.Whole || end < 0 {
		return [][]string{row}
	}
	wrapped := Wrap(row[end], room)
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

// trimEnd takes the spaces from the end of a line, also those before a style's
// end.
func trimEnd(line string) string {
	const reset = "\x1b[0m"
	trimmed := strings.TrimRight(line, " \n")
	styled := false
	for strings.HasSuffix(trimmed, reset) {
		trimmed, styled = strings.TrimRight(strings.TrimSuffix(trimmed, reset), " "), true
	}
	if styled {
		trimmed += reset
	}
	return trimmed
}

func (t *Table) alignment() []tw.Align {
	n := len(t.Header)
	if n == 0 && len(t.Rows) > 0 {
		n = len(t.Rows[0])
	}
	align := make([]tw.Align, n)
	for i := range align {
		align[i] = tw.AlignLeft
		if i < len(t.Right) && t.Right[i] {
			align[i] = tw.AlignRight
		}
	}
	return align
}

// looks gives the header and the cells as a terminal of the given width shows
// them. Where the width does not suffice, one column after the other takes its
// short form, and then the widest are cut.
func (t *Table) looks(width int) (header []string, rows [][]string) {
	all := make([][]string, 0, len(t.Rows)+1)
	for _, row := range append([][]Cell{t.Header}, t.Rows...) {
		shown := make([]string, len(row))
		for i, cell := range row {
			shown[i] = Escape(cell.look(false))
		}
		all = append(all, shown)
	}
	widths := t.widths(all)
	for column := 0; !t.Whole && column < len(widths) && total(widths) > width; column++ {
		for i, row := range t.Rows {
			all[i+1][column] = Escape(row[column].look(true))
		}
		widths = t.widths(all)
	}
	if !t.Whole && total(widths) > width {
		narrow(widths, t.least(widths), width)
		for _, row := range all {
			for i := range row {
				row[i] = Cut(row[i], widths[i])
			}
		}
	}
	return all[0], all[1:]
}

func (c Cell) look(short bool) string {
	switch {
	case short && c.Short != "":
		return c.Short
	case c.Look != "":
		return c.Look
	}
	return c.Text
}

// widths are the widest looks of each column.
func (t *Table) widths(rows [][]string) []int {
	widths := make([]int, len(t.alignment()))
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

// least is how narrow each column may become: keys and numbers stay whole, for
// half of one is none.
func (t *Table) least(widths []int) []int {
	const text = 6
	least := make([]int, len(widths))
	for i := range least {
		least[i] = text
		if i < len(t.Right) && t.Right[i] {
			least[i] = widths[i]
		}
		for _, row := range t.Rows {
			least[i] = max(least[i], twwidth.Width(Escape(row[i].Short)))
		}
	}
	return least
}

// narrow takes columns from the widest until all fit or none can give more.
func narrow(widths, least []int, width int) {
	for total(widths) > width {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

// Cut gives text in at most width columns, its end replaced by an ellipsis
// where it is longer.
func Cut(text string, width int) string {
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
