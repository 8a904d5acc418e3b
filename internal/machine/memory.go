// Package machine describes the machine on which the process runs.
package machine

import "math"

// Memory returns the memory that this process may use, in bytes: the memory of the machine or,
// if it is lower, the limit of the control group of the process. It returns 0 if the memory is
// unknown.
func Memory() int64 {
	total := physicalMemory()
	if limit := processMemoryLimit(); limit > 0 && (total == 0 || limit < total) {
		return limit
	}
	return total
}

// clampInt64 returns n, or math.MaxInt64 if n is larger.
func clampInt64(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
