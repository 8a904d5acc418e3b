//go:build !windows

package blob

import "syscall"

var diskFullErrors = []error{syscall.ENOSPC, syscall.EDQUOT}
