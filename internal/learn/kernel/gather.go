package kernel

// Gather sets each dst[i] to src[width·rows[i]]. If the slice rows is longer than dst, the words of
// the remaining rows are only prefetched; these should be the rows that the next call gathers.
// Gather does not check that rows are within src.
func Gather[T int64 | uint64](dst, src []T, width int, rows []int32) {
	checkLen("Gather", len(rows), len(dst))
	if gatherVector(dst, src, width, rows) {
		return
	}
	for i, row := range rows[:len(dst)] {
		dst[i] = src[int(row)*width]
	}
}

// Gather4Columns gathers four adjacent words from each of the first n rows. For each i
// below n and each k from 0 to 3, it sets dst[k·stride+i] to src[width·rows[i]+k]. The words of the
// remaining elements of rows are only prefetched.
func Gather4Columns(dst []uint64, stride int, src []uint64, width int, rows []int32, n int) {
	checkLen("Gather4Columns", len(rows), n)
	checkLen("Gather4Columns", len(dst), 3*stride+n)
	if gather4Vector(dst, stride, src, width, rows, n) {
		return
	}
	d0, d1, d2, d3 := dst[:n], dst[stride:][:n], dst[2*stride:][:n], dst[3*stride:][:n]
	for i, row := range rows[:n] {
		w := src[int(row)*width:][:4]
		d0[i], d1[i], d2[i], d3[i] = w[0], w[1], w[2], w[3]
	}
}
