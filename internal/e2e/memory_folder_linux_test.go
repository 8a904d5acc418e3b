package e2e_test

import (
	"os"

	"golang.org/x/sys/unix"
)

// memoryFolder is a file system in memory, in which fsync takes no time.
const memoryFolder = "/dev/shm"

// useMemoryFolder puts the folders of the tests into memory, unless the user has chosen
// another place or less than 2 GB are free.
func useMemoryFolder() {
	var free unix.Statfs_t
	if os.Getenv("TMPDIR") != "" || os.Getenv("GOTMPDIR") != "" || unix.Access(memoryFolder, unix.W_OK) != nil ||
		unix.Statfs(memoryFolder, &free) != nil || free.Bavail*uint64(free.Bsize) < 2<<30 {
		return
	}
	_ = os.Setenv("TMPDIR", memoryFolder)
	_ = os.Setenv("GOTMPDIR", memoryFolder) // for the folders of scripts
}
