package blob

import "syscall"

// diskFullErrors are the errors of a write for which there is no space: ERROR_HANDLE_DISK_FULL and
// ERROR_DISK_FULL.
var diskFullErrors = []error{syscall.Errno(39), syscall.Errno(112)}
