package split

// Subsample returns at most maxRows evenly spaced elements of rows, or rows itself if it
// has at most maxRows.
func Subsample(rows []int32, maxRows int) []int32 {
	if len(rows) <= maxRows {
		return rows
	}
	sample := make([]int32, maxRows)
	for i := range sample {
		sample[i] = rows[i*len(rows)/maxRows]
	}
	return sample
}
