//go:build !windows

package blob

import "syscall"

// diskFullErrors are the errors of a write for which there is no space. With EFBIG, the file would
// exceed the limit of the process on file sizes, or the maximum file size of the file system.
var diskFullErrors = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
