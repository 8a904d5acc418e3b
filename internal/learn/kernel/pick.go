package kernel

// Pick writes src[width·rows[i]] to dst[i], for all of dst. rows may go on: what
// belongs to those behind is then on its way from memory. No row is checked.
func Pick[T int64 | uint64](dst, src []T, width int, rows []int32) {
	check("Pick", len(rows), len(dst))
	if pickVector(dst, src, width, rows) {
		return
	}
	for i, row := range rows[:len(dst)] {
		dst[i] = src[int(row)*width]
	}
}

// PickFour picks four words a row that lie side by side, n rows of them: those
// of lane k go to dst[k·stride] and behind.
func PickFour(dst []uint64, stride int, src []uint64, width int, rows []int32, n int) {
	check("PickFour", len(rows), n)
	check("PickFour", len(dst), 3*stride+n)
	if pickFourVector(dst, stride, src, width, rows, n) {
		return
	}
	d0, d1, d2, d3 := dst[:n], dst[stride:][:n], dst[2*stride:][:n], dst[3*stride:][:n]
	for i, row := range rows[:n] {
		w := src[int(row)*width:][:4]
		d0[i], d1[i], d2[i], d3[i] = w[0], w[1], w[2], w[3]
	}
}
