//go:build !windows

package blob

import "golang.org/x/sys/unix"

// DiskSpace returns the free and total bytes of the disk of a folder.
func DiskSpace(dir string) (free, total uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), nil
}
