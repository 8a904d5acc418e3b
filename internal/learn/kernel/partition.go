package kernel

// Partition divides rows by the value table[data[row]], which must be 0 or 1. It moves the rows
// with the value 1 to the front of the slice rows, and returns their number. It writes the rows
// with the value 0 to the front of the slice removed. Rows with the same value keep their order.
// The remaining elements of the two slices are undefined. The slice removed must be at least as
// long as the slice rows. Partition does not check that rows are within data.
func Partition(rows, removed []int32, data []uint8, table *[256]uint8) (kept int) {
	checkLen("Partition", len(removed), len(rows))
	done, kept := partitionVector(rows, removed, data, table)
	dropped := done - kept
	removed = removed[:len(rows)]
	for _, row := range rows[done:] {
		keep := int(table[data[row]])
		rows[kept] = row
		removed[dropped] = row
		kept += keep
		dropped += 1 - keep
	}
	return kept
}

// compressOrders holds, for each subset of eight rows, the permutation that moves the
// rows of the subset to the front. It is indexed by the subset, as a bit mask whose
// highest bit stands for the first row. Byte i of a permutation is the index of the row
// that moves to position i.
var compressOrders = func() (orders [256]uint64) {
	for set := range orders {
		at := 0
		for row := range 8 {
			if set>>(7-row)&1 != 0 {
				orders[set] |= uint64(row) << at
				at += 8
			}
		}
	}
	return orders
}()
