//go:build !windows

package blob

import "syscall"

// diskFullErrors includes EFBIG: the file would exceed the limit of the process on file sizes, or
// the maximum file size of the file system.
var diskFullErrors = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
