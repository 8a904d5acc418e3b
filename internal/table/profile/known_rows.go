package profile

// minDistinctRowShare is the smallest fraction of different rows in a training file for which
// CountKnownRows counts. With a smaller fraction, rows are often equal by chance.
const minDistinctRowShare = 0.5

// CountKnownRows returns how many rows of the blind file are equal to a row of the training file p
// in every feature. It returns 0 in four cases in which this number is unknown or means little:
//
//   - The files have different columns.
//   - Not all rows of a file are known, because it is too large.
//   - A file has fewer than MinComparedRows rows.
//   - Many rows of p are equal; see minDistinctRowShare.
func (p *Profile) CountKnownRows(blind *Profile) (known int) {
	if len(p.Columns) != len(blind.Columns) || len(p.rowHashes) < MinComparedRows || len(blind.rowHashes) < MinComparedRows {
		return 0
	}
	for i := range p.Columns {
		if blind.ColumnIndex(p.Columns[i].Name) < 0 {
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
