package preflight

import (
	"context"
	"slices"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/repair"
)

// estimateRowsAboveHeader returns the number of rows of a workbook above its probable header. The
// header is the first row with enough filled cells: at least two, and at least one fewer than the
// median of the first 50 rows. One fewer is enough because the column of row names often has no
// name. The result is 0 if there is no such row, or if the file cannot be read.
func (in *InputTable) estimateRowsAboveHeader(ctx context.Context) int {
	const sampleRows = 50
	file, err := in.openCSV(ctx)
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }() // the file was only read
	var lines, filled []int
	for rows := csvfile.NewReader(file, ','); len(lines) < sampleRows; {
		record, err := rows.Read()
		if err != nil {
			break
		}
		n := 0
		for _, field := range record.Fields {
			if len(field) > 0 {
				n++
			}
		}
		lines, filled = append(lines, record.Line), append(filled, n)
	}
	if len(lines) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(filled))
	median := sorted[len(sorted)/2]
	header := slices.IndexFunc(filled, func(n int) bool { return n >= max(median-1, 2) })
	if header < 0 {
		return 0
	}
	_, line := in.table.SourceLine(lines[header])
	return max(line-1, 0)
}

// findHeadersBelowTitles calls findHeaderBelowTitle for the training file, whose first row is header, and
// for the blind file.
func (p *Preflight) findHeadersBelowTitles(ctx context.Context, header []string) error {
	p.Train.findHeaderBelowTitle(ctx, header)
	if p.Blind == nil {
		return nil
	}
	header, err := p.Blind.readHeader(ctx)
	if header != nil {
		p.Blind.findHeaderBelowTitle(ctx, header)
	}
	return err
}

// findHeaderBelowTitle looks for a header below the first row, and sets headerBelowTitle to its
// names. It does so only if the first row may be a title: if one of its cells is empty, or if there
// are too few cells for a header. The argument header holds these cells.
func (in *InputTable) findHeaderBelowTitle(ctx context.Context, header []string) {
	in.headerBelowTitle = nil
	if !slices.Contains(header, "") && len(header) >= in.fewestColumns() {
		return
	}
	file, err := in.openCSV(ctx)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }() // the file was only read
	layout := in.layout
	if in.table.IsConverted() {
		layout.Delimiter = ','
	}
	in.headerBelowTitle = repair.HeaderBelowTitle(file, &layout)
}
