package split

// Subsample returns at most maxRows of rows, chosen at equal distances. It returns rows
// itself if there are not more.
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
