package profile

import (
	"context"

	"foretell/internal/table/cells"
)

// minDistinctRowShare is the smallest number of distinct training rows, as a fraction of all
// training rows, for which CountKnownRows counts. With a smaller fraction, rows are often equal by
// chance.
const minDistinctRowShare = 0.5

// CountKnownRows returns how many rows of the blind file are equal to a row of the training file p
// in every column that a model uses. Other columns, such as the label, are ignored. The blind
// profile must have been made with the schema of p as ScanOptions.Training. CountKnownRows returns
// 0 in four cases in which the number is unknown or has little meaning:
//
//   - The blind file lacks a column that a model uses.
//   - Not all rows of one of the files are known, because the file is too large.
//   - One of the files has fewer than MinComparedRows rows.
//   - Many rows of p are equal; see minDistinctRowShare.
func (p *Profile) CountKnownRows(blind *Profile) (known int) {
	if len(p.rowHashes) < MinComparedRows || len(blind.rowHashes) < MinComparedRows {
		return 0
	}
	for i := range p.Columns {
		if p.Columns[i].Features > 0 && blind.ColumnIndex(p.Columns[i].Name) < 0 {
			return 0
		}
	}
	training := make(map[uint64]bool, len(p.rowHashes))
	for _, hash := range p.rowHashes {
		training[hash] = true
	}
	if float64(len(training)) < minDistinctRowShare*float64(len(p.rowHashes)) {
		return 0
	}
	for _, hash := range blind.rowHashes {
		if training[hash] {
			known++
		}
	}
	return known
}

// hashRows sets rowHashes of the profile, for CountKnownRows. Only columns that a model uses are hashed.
func (s *scanner) hashRows(ctx context.Context) (err error) {
	schema := s.profile.Schema
	if s.label < 0 && s.opts.Training != nil {
		schema = s.opts.Training
	}
	used := make(map[string]bool)
	for i := range schema.Columns {
		used[schema.Columns[i].SourceName()] = true
	}
	s.profile.rowHashes, err = s.sample.RowHashes(ctx, func(i int) bool { return i != s.id && i != s.label && used[s.table.Names[i]] },
		func(i int) uint64 { return cells.Hash([]byte(s.table.Names[i])) })
	return err
}
