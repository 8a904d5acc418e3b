package kernel

// Part keeps those of rows whose byte in data has 1 in table, writes the others
// to rest, both in their order, and returns the number of those kept. Behind
// them rows holds anything; rest is as long as rows. No row is checked.
func Part(rows, rest []int32, data []uint8, table *[256]uint8) int {
	check("Part", len(rest), len(rows))
	done, kept := partVector(rows, rest, data, table)
	left := done - kept
	rest = rest[:len(rows)]
	for _, row := range rows[done:] {
		keep := int(table[data[row]])
		rows[kept] = row
		rest[left] = row
		kept += keep
		left += 1 - keep
	}
	return kept
}

// orders holds, for each set of eight rows, a permutation that brings them to
// the front: a byte a place. The first row is the highest bit of the set.
var orders = func() (orders [256]uint64) {
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
