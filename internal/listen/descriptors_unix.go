//go:build unix

package listen

import "syscall"

// defaultMaxConnections returns the default of Limits.Connections. It leaves file
// descriptors for the database and for the files that requests open.
func defaultMaxConnections() int {
	const reserved, most = 64, 10_000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return most
	}
	files := int64(min(uint64(limit.Cur), 10*most)) //nolint:unconvert // it is an int64 on FreeBSD
	return int(max(16, min((files-reserved)/2, most)))
}
