package split

// Range returns the rows lo…hi-1 in ascending order.
func Range(lo, hi int) []int32 {
	rows := make([]int32, hi-lo)
	for i := range rows {
		rows[i] = int32(lo + i)
	}
	return rows
}

// Gather returns the elements of values at the given indices, or nil if values is nil.
func Gather[T any, I int | int32](values []T, indices []I) []T {
	if values == nil {
		return nil
	}
	picked := make([]T, len(indices))
	for i, index := range indices {
		picked[i] = values[index]
	}
	return picked
}
