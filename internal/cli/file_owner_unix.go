//go:build !windows

package cli

import (
	"io/fs"
	"os"
	"syscall"
)

// copyOwner sets the owner and the group of the file at path to the owner and the group in info.
// Only root may change the owner. Another user may change the group to one of their own groups.
func copyOwner(path string, info fs.FileInfo) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if err := os.Chown(path, int(stat.Uid), int(stat.Gid)); err != nil {
		_ = os.Chown(path, -1, int(stat.Gid)) // if this fails, too, the file belongs to this user
	}
}
