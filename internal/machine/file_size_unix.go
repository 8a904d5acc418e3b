//go:build linux || darwin

package machine

import "golang.org/x/sys/unix"

// FileSizeLimit returns the limit on the size of each file that this process writes, in bytes, as
// ulimit -f sets it. It returns 0 if there is no limit.
func FileSizeLimit() uint64 {
	const unlimited = 1 << 62 // RLIM_INFINITY is larger on every system
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil || limit.Cur >= unlimited {
		return 0
	}
	return limit.Cur
}
