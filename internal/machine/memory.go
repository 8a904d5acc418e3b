// Package machine describes the machine on which the process runs.
package machine

import "math"

// Memory returns the memory in bytes that this process may use: the memory of the
// machine, or the limit of its control group if that is lower. It returns 0 if it is
// unknown.
func Memory() int64 {
	total := physicalMemory()
	if limit := memoryLimit(); limit > 0 && (total == 0 || limit < total) {
		return limit
	}
	return total
}

// clampInt64 returns n, or math.MaxInt64 if n is larger.
func clampInt64(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
