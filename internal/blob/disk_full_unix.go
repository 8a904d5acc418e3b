//go:build !windows

package blob

import "syscall"

// diskFullErrors have EFBIG, too: the file would exceed the limit on the size of files, or that of the
// file system.
var diskFullErrors = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
